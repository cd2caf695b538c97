// Where the server comes from, and what becomes of it: absent, installed, of another version, killed, in several folders.
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { commandLine, tree } from './processes.js'
import { repository } from './project.js'
import { until } from './steps.js'

/** Process ids of the servers below a process. */
function serversBelow(id) {
  return tree(id).filter((each) => {
    const line = commandLine(each)
    return line.includes('serve') && line.some((part) => part.endsWith('main.js'))
  })
}

/** Whether a process is a worker in the project's Python, or the sandbox around it; not where it has ended. */
const isPython = (id) => commandLine(id).some((part) => part.endsWith('start_worker.py'))

/** Ids of the children that run Python below a server. */
const pythonsBelow = (id) => tree(id).filter(isPython)

/** A server that is killed is started again by the next request; closing the window ends it. */
export async function killedServerSteps({ steps, w, page, folder, server }) {
  await steps.step(
    'a server that is killed: the status says it, and the next request starts it again',
    async () => {
      await w.openFile('prices.py')
      await w.codeLens('Generate tests').first().waitFor()
      const [before] = await until('a server', () => serversBelow(server.pid))
      process.kill(before, 'SIGKILL')
      const status = page.locator('.statusbar-item').filter({ hasText: 'autotest' })
      await until(
        'an error in the status bar',
        async () => (await status.locator('.codicon-error').count()) === 1,
      )
      await w.codeLens('Generate tests').first().click()
      await w.webview().locator('#state', { hasText: 'Nothing is written yet' }).waitFor({ timeout: 60_000 })
      const [after] = serversBelow(server.pid)
      assert.notEqual(after, before)
      assert.equal(await status.locator('.codicon-error').count(), 0)
    },
  )
  await steps.step('cancelling ends the work, its Python included', async () => {
    const [id] = serversBelow(server.pid)
    // Its import takes longer than this test: the work goes on for as long as nobody ends it.
    writeFileSync(
      join(folder, 'src/shop/waiting.py'),
      'import time\n\ntime.sleep(3600)\n\n\ndef later(n: int) -> int:\n    return n\n',
    )
    await w.openFile('waiting.py')
    await w.codeLens('Generate tests').first().waitFor()
    const idle = new Set(pythonsBelow(id))
    await w.codeLens('Generate tests').first().click()
    const working = await until('a Python for this work', () => {
      const fresh = pythonsBelow(id).filter((each) => !idle.has(each))
      return fresh.length > 0 ? fresh : undefined
    })
    await page.locator('.notification-toast').getByRole('button', { name: 'Cancel' }).click()
    await until('the end of that Python', () =>
      [...working, ...pythonsBelow(id).filter((each) => !idle.has(each))].every((each) => !isPython(each)),
    )
    assert.deepEqual(serversBelow(server.pid), [id])
  })
  await steps.step('restart: another process', async () => {
    const [before] = serversBelow(server.pid)
    await w.command('autotest: Restart Server')
    const [after] = await until('another server', () => {
      const ids = serversBelow(server.pid)
      return ids.length === 1 && ids[0] !== before ? ids : undefined
    })
    assert.notEqual(after, before)
  })
}

/** No server: one notification says so and how to get it; one that is then installed from the packed file is found. */
export async function missingServerSteps({ steps, w, page, folder, server, tarball }) {
  await steps.step('no server: one notification, and nothing is started', async () => {
    await w.openFile('prices.py')
    await w.notification('autotest needs its server').waitFor()
    assert.deepEqual(serversBelow(server.pid), [])
    await steps.picture(page, 'missing-server')
  })
  await steps.step('installed from the packed file: lenses appear', async () => {
    assert.ok(existsSync(tarball))
    execFileSync('npm', ['install', '--save-dev', '--no-audit', '--no-fund', tarball], { cwd: folder })
    await w.command('autotest: Restart Server')
    await w.codeLens('Generate tests').first().waitFor({ timeout: 240_000 })
  })
}

/** A server of another protocol is told about; the rest goes on. */
export function writeOtherServer(folder) {
  const target = join(folder, 'node_modules/autotest-harness')
  mkdirSync(join(target, 'dist/cli'), { recursive: true })
  writeFileSync(
    join(target, 'package.json'),
    '{ "name": "autotest-harness", "version": "9.9.9", "type": "module" }',
  )
  // The real one, which says that it is another.
  writeFileSync(
    join(target, 'dist/cli/main.js'),
    `import { spawn } from 'node:child_process'
const child = spawn(process.execPath, [${JSON.stringify(join(repository, 'dist/cli/main.js'))}, 'serve'], { stdio: ['pipe', 'pipe', 'inherit'] })
process.stdin.pipe(child.stdin)
child.stdout.on('data', (part) => process.stdout.write(String(part).replace('"protocolVersion":1', '"protocolVersion":2')))
child.on('close', () => process.exit(0))
`,
  )
}

export async function otherVersionSteps({ steps, w }) {
  await steps.step('a server of another version: a warning, and lenses all the same', async () => {
    await w.openFile('prices.py')
    await w.notification('speaks another version').waitFor()
    await w.codeLens('Generate tests').first().waitFor()
  })
}

/** In a folder that is not trusted, nothing starts until it is. */
export async function trustSteps({ steps, w, page, server }) {
  await steps.step('a folder that is not trusted: no lens, no process', async () => {
    // Some versions ask at once, others when something needs it.
    await page
      .getByRole('button', { name: /No, I don't trust/ })
      .click({ timeout: 5000 })
      .catch(() => undefined)
    await w.openFile('prices.py')
    await page.waitForTimeout(4000)
    assert.equal(await w.codeLens('Generate tests').count(), 0)
    assert.deepEqual(serversBelow(server.pid), [])
  })
  await steps.step('trusted: lenses', async () => {
    await w.command('Workspaces: Manage Workspace Trust')
    await page
      .locator('.workspace-trust-editor')
      .getByRole('button', { name: 'Trust', exact: true })
      .first()
      .click()
    await w.openFile('prices.py')
    await w.codeLens('Generate tests').first().waitFor()
  })
}

/** Each folder of a workspace has its own server, with the Python that was chosen for it. */
export async function severalRootsSteps({ steps, w, server, folders, pythons }) {
  await steps.step('several folders: a server for each, with the Python that was chosen for it', async () => {
    for (const [name, text] of [
      ['alpha.py', 'Generate tests'],
      ['beta.py', 'Generate tests'],
    ]) {
      await w.openFile(name)
      await w.codeLens(text).first().waitFor()
    }
    const ids = serversBelow(server.pid)
    assert.equal(ids.length, folders.length)
    const roots = ids
      .map((id) => execFileSync('readlink', [`/proc/${id}/cwd`], { encoding: 'utf8' }).trim())
      .sort()
    assert.deepEqual(roots, [...folders].sort())
    for (const id of ids) {
      const root = execFileSync('readlink', [`/proc/${id}/cwd`], { encoding: 'utf8' }).trim()
      const lines = pythonsBelow(id).map(commandLine)
      assert.ok(
        lines.some((line) => line.includes(pythons[root])),
        `${root}: ${lines.join('\n')}`,
      )
    }
  })
}

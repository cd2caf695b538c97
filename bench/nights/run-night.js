// One night: the program's run, with the database held where the server is busy.
import { execFile, spawn } from 'node:child_process'
import { readFileSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { authorOf } from './repository.js'

const run = promisify(execFile)
const holder = fileURLToPath(new URL('hold-database.js', import.meta.url))

/**
 * Returns the exit code, and by case how it began (`baseline`), how it ended and how it is labelled.
 * Without a report, `cases` is empty and `words` tells why.
 */
export async function runNight({ root, program, night, held }) {
  const report = `${root}.json`
  rmSync(report, { force: true })
  const release = held === undefined ? undefined : await hold(held)
  const { code, words } = await exitOf(program, ['--yes', '-o', report], root, authorOf('autotest', night))
  await release?.()
  const { cases = [], questions = [] } = readReport(report)
  return { code, words, cases, questions }
}

function readReport(path) {
  try {
    return JSON.parse(readFileSync(path, 'utf8'))
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
    return {}
  }
}

async function exitOf(program, args, cwd, env) {
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...args], { cwd, env })
    return { code: 0, words: stdout + stderr }
  } catch (error) {
    if (typeof error.code !== 'number') throw error
    return { code: error.code, words: error.stdout + error.stderr }
  }
}

async function hold({ engine, file }) {
  const child = spawn(process.execPath, [holder, engine, file], { stdio: ['pipe', 'pipe', 'inherit'] })
  const ended = new Promise((resolve) => child.on('close', resolve))
  await new Promise((resolve, reject) => {
    child.stdout.once('data', resolve)
    child.once('close', () => reject(new Error(`${file} cannot be held`)))
  })
  return async () => {
    child.stdin.end()
    await ended
  }
}

import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import { needing } from '../../needs.js'
import { freePort } from './unprivileged.js'

/** A cluster of one coordinator and two workers. */
export interface TrinoCluster {
  readonly port: number
  /** Runs a statement as somebody who may write; returns its rows. */
  run(sql: string): Promise<unknown[][]>
  /** `catalog/schema` */
  address(place?: string): string
  killWorker(): void
  stop(): void
}

const script = join(process.cwd(), 'scripts/trino/cluster.sh')

const installed = process.env['AUTOTEST_TRINO'] ?? join(homedir(), '.cache/autotest/trino')
const isInstalled = existsSync(installed) && readdirSync(installed).some((name) => name.startsWith('ready-'))

export const needsTrino = needing(
  'Trino',
  isInstalled ? undefined : 'it is not installed (scripts/trino/setup.sh FOLDER, then AUTOTEST_TRINO=FOLDER)',
)

/** Returns undefined where Trino is not installed (`scripts/trino/setup.sh FOLDER`, AUTOTEST_TRINO=FOLDER). */
export async function startTrino(): Promise<TrinoCluster | undefined> {
  if (!isInstalled) return undefined
  const folder = mkdtempSync(join(tmpdir(), 'autotest-trino-'))
  const port = await freePort()
  const run = join(folder, 'run')
  execFileSync('bash', [script, 'start', installed, run, String(port)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const cluster: TrinoCluster = {
    port,
    run: (sql) => statement(port, sql),
    address: (place = 'memory/default') => `//reader@127.0.0.1:${port}/${place}`,
    killWorker: () => process.kill(Number(readFileSync(join(run, 'worker2/pid'), 'utf8')), 'SIGKILL'),
    stop() {
      spawnSync('bash', [script, 'stop', installed, run, String(port)])
      rmSync(folder, { recursive: true, force: true })
    },
  }
  const workers = "SELECT count(*) FROM system.runtime.nodes WHERE NOT coordinator AND state = 'active'"
  for (let waited = 0; (await cluster.run(workers).catch(() => []))[0]?.[0] !== 2; waited += 1) {
    if (waited === 300) throw new Error('the workers do not come')
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  return cluster
}

async function statement(port: number, sql: string): Promise<unknown[][]> {
  const headers = { 'X-Trino-User': 'admin', 'X-Trino-Catalog': 'memory', 'X-Trino-Schema': 'default' }
  const rows: unknown[][] = []
  let response = await fetch(`http://127.0.0.1:${port}/v1/statement`, { method: 'POST', body: sql, headers })
  for (;;) {
    const reply = (await response.json()) as {
      nextUri?: string
      data?: unknown[][]
      error?: { message: string }
    }
    if (reply.error !== undefined) throw new Error(reply.error.message)
    rows.push(...(reply.data ?? []))
    if (reply.nextUri === undefined) return rows
    response = await fetch(reply.nextUri, { headers })
  }
}

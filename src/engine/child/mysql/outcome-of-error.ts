import { messageOf } from '../../../errors.js'
import type { QueryOutcome } from '../../contract/engine.js'
import type { RequestClock } from '../request-clock.js'
import { codeOf } from '../server-connection.js'
import { ServerFault, type ServerSettings } from '../server-protocol.js'
import { quoteName } from './catalogue.js'

const readOnly = new Set(['ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION', 'ER_OPTION_PREVENTS_STATEMENT'])
const memory = new Set([
  'ER_OUTOFMEMORY',
  'ER_OUT_OF_SORTMEMORY',
  'ER_OUT_OF_RESOURCES',
  'ER_CAPACITY_EXCEEDED',
])
const timeouts = new Set(['ER_QUERY_TIMEOUT', 'ER_STATEMENT_TIMEOUT'])
/** The server ends sessions, or is ended, or somebody else has a lock. */
const lost = new Set([
  'ER_LOCK_DEADLOCK',
  'ER_SERVER_SHUTDOWN',
  'ER_CONNECTION_KILLED',
  'ER_NORMAL_SHUTDOWN',
  'ER_QUERY_INTERRUPTED',
])

/** The user may not read a table, or a column. */
const denied = new Set(['ER_TABLEACCESS_DENIED_ERROR', 'ER_COLUMNACCESS_DENIED_ERROR'])

/** Reports whether the server has waited for a lock of another session: a query that reads waits for none of its own. */
export function isLockOfOthers(error: unknown): boolean {
  return codeOf(error) === 'ER_LOCK_WAIT_TIMEOUT'
}

/** Returns the outcome of an error that the statement caused; throws one of the server. */
export function outcomeOf(
  error: unknown,
  settings: ServerSettings,
  { timeoutMs }: RequestClock,
): QueryOutcome {
  const message = messageOf(error).replaceAll(/\s+/g, ' ')
  const code = codeOf(error)
  if (isLockOfOthers(error))
    throw new ServerFault(
      `waited ${Math.ceil(timeoutMs / 1000)} s for a lock on a table, which another session holds`,
      {
        hint: 'A migration or maintenance may hold it (SHOW FULL PROCESSLIST names the session): run again when it is done, or raise `limits.query_timeout`.',
        kind: 'busy',
        cause: error,
      },
    )
  if (readOnly.has(code)) return { kind: 'refused', message }
  if (memory.has(code)) return { kind: 'killed', limit: 'memory', message }
  if (timeouts.has(code)) return { kind: 'killed', limit: 'deadline', message }
  if (denied.has(code)) return { kind: 'failed', message, setup: missingRight(message, settings) }
  if (code.startsWith('ER_') && !lost.has(code)) return { kind: 'failed', message }
  throw new ServerFault(code.startsWith('ER_') ? message : `the connection was lost: ${message}`, {
    cause: error,
  })
}

/** MySQL names the table alone, MariaDB with its database. */
function missingRight(message: string, { user, database }: ServerSettings): string {
  const account = /'([^']*)'@'([^']*)'/.exec(message)
  const named = /table\s+((?:`[^`]*`|'[^']*'|\.)+)\s*$/.exec(message)?.[1]?.replaceAll(/[`']/g, '')
  const parts = named?.split('.') ?? []
  const [table = '*', schema = database] = parts.toReversed()
  const on = [schema, table]
    .filter((part) => part !== '')
    .map((part) => (part === '*' ? part : quoteName(part)))
  const who = account === null ? user : `'${account[1]}'@'${account[2]}'`
  return `${message}. Run: GRANT SELECT ON ${on.join('.')} TO ${who}`
}

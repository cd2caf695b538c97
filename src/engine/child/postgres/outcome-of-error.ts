import type { Client } from 'pg'
import { messageOf } from '../../../errors.js'
import type { QueryOutcome } from '../../contract/engine.js'
import { codeOf } from '../server-connection.js'
import { ServerFault } from '../server-protocol.js'

/** Returns the outcome of an error that the statement caused; throws one of the server. */
export async function outcomeOf(error: unknown, client: Client): Promise<QueryOutcome> {
  if (error instanceof ServerFault) throw error
  const message = messageOf(error).replaceAll(/\s+/g, ' ')
  const code = codeOf(error)
  if (/cannot insert multiple commands/.test(message))
    return { kind: 'refused', message: 'only a single SELECT statement is allowed' }
  // It would write, lock rows, or store its result.
  if (code === '25006' || /^DECLARE .*(?:must not|cannot)|\bINTO is not allowed/i.test(message))
    return { kind: 'refused', message }
  if (code === '53200') return { kind: 'killed', limit: 'memory', message }
  // A limit that the role has, or a lock that its own functions take.
  if ((code === '57014' && /timeout/.test(message)) || code === '55P03')
    return { kind: 'killed', limit: 'deadline', message }
  // Syntax and rights, data, cardinality, features, limits of the program are its own.
  if (/^(?:0A|21|22|24|2F|34|38|39|42|54|55|P0)/.test(code)) {
    // Nothing that is asked here may make an error of the statement another one.
    const setup = await missingSetup(code, message, client).catch(() => undefined)
    return { kind: 'failed', message, setup }
  }
  if (code === '40001' && /recovery/.test(message))
    throw new ServerFault(`the replica cancelled the query: ${message}`, {
      hint: 'Ask the primary, or raise max_standby_streaming_delay of the replica.',
      cause: error,
    })
  throw new ServerFault(
    code === '' || /^E[A-Z]+$/.test(code) ? `the connection was lost: ${message}` : message,
    { cause: error },
  )
}

/** Returns what the role lacks, or the replica; undefined if it is neither. */
async function missingSetup(code: string, message: string, client: Client): Promise<string | undefined> {
  if (code === '42501') return missingRight(message, client)
  if (code !== '42P01' && code !== '3F000') return undefined
  return (await missingOnReplica(message, client)) ?? missingOnPath(client)
}

/** The last word of the message is the name, in whatever language. */
async function missingRight(message: string, client: Client): Promise<string> {
  const name = /(\S+)$/.exec(message)?.[1]?.replaceAll(/^["'«„]|["'»“]$/g, '') ?? ''
  const rows = await ask<{ role: string; grant: string | null }>(
    client,
    `SELECT quote_ident(current_user) AS role, coalesce(
      (SELECT format('SELECT ON %I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relname = $1 AND c.relkind IN ('r', 'v', 'm', 'p', 'f') AND NOT has_table_privilege(c.oid, 'SELECT')
        ORDER BY pg_table_is_visible(c.oid) DESC, n.nspname LIMIT 1),
      (SELECT format('USAGE ON SCHEMA %I', nspname) FROM pg_namespace
        WHERE nspname = $1 AND NOT has_schema_privilege(oid, 'USAGE')),
      (SELECT format('EXECUTE ON FUNCTION %s', oid::regprocedure) FROM pg_proc
        WHERE proname = $1 AND NOT has_function_privilege(oid, 'EXECUTE') LIMIT 1)) AS grant`,
    [name],
  )
  const { role = 'this role', grant = null } = rows[0] ?? {}
  return grant === null ? `${message}: grant ${role} the right` : `${message}. Run: GRANT ${grant} TO ${role}`
}

/** A replica that has replayed all that it received has what the primary has. */
async function missingOnReplica(message: string, client: Client): Promise<string | undefined> {
  const [row] = await ask<{ behind: boolean }>(
    client,
    `SELECT CASE WHEN pg_is_in_recovery() THEN pg_is_wal_replay_paused() OR NOT EXISTS (SELECT FROM pg_stat_wal_receiver)
      OR pg_last_wal_receive_lsn() > pg_last_wal_replay_lsn() ELSE false END AS behind`,
  )
  return row?.behind === true
    ? `${message}: the server is a replica that is behind its primary. Ask the primary, or wait until it has caught up`
    : undefined
}

/** Returns where the tables are if names without a schema find none at all. */
async function missingOnPath(client: Client): Promise<string | undefined> {
  const [row] = await ask<{ role: string; path: string; schemas: string | null; isEmpty: boolean }>(
    client,
    `SELECT quote_ident(current_user) AS role, current_setting('search_path') AS path,
      string_agg(DISTINCT quote_ident(n.nspname), ', ') AS schemas,
      coalesce(bool_and(NOT pg_table_is_visible(c.oid)), true) AS "isEmpty"
      FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'v', 'm', 'p', 'f') AND n.nspname !~ '^pg_|^information_schema$'`,
  )
  if (row === undefined || !row.isEmpty || row.schemas === null) return undefined
  return `no table is on the search_path (${row.path}); there are tables in ${row.schemas}. Run: ALTER ROLE ${row.role} SET search_path = ${row.schemas}`
}

/** Asks in the connection of the statement, whose transaction has failed. */
async function ask<Row extends object>(
  client: Client,
  text: string,
  values: readonly string[] = [],
): Promise<readonly Row[]> {
  await client.query('ROLLBACK')
  const { rows } = await client.query<Row>({ text, values: [...values] })
  return rows
}

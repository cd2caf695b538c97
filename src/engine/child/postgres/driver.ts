import type { Client } from 'pg'
import type { RoleRight } from '../../contract/role-rights.js'
import { quoteName } from '../../query/quote-names.js'
import { idleConnections } from '../idle-connections.js'
import { RequestClock } from '../request-clock.js'
import { scratchTables } from '../scratch-tables.js'
import { placeOf } from '../server-connection.js'
import {
  type ScratchTables,
  type ServerDriver,
  ServerFault,
  type ServerSettings,
} from '../server-protocol.js'
import { catalogueOf } from './catalogue.js'
import { connect, connectionFault, cut } from './connection.js'
import type { ServerType } from './convert-value.js'
import { rightsOf, unknownFunctions } from './role-rights.js'
import { extended, refusalOf, runStatement, type StatementContext, sessionSettings } from './run-statement.js'

/** Roles whose members reach files and programs of the server's machine. */
const dangerousRoles = ['pg_read_server_files', 'pg_write_server_files', 'pg_execute_server_program']

/** PostgreSQL: each statement in a transaction of its own, which only reads, of a connection that is new or reset. */
export const postgresDriver: ServerDriver = {
  async connect(settings, clock) {
    const asked = await withClient(settings, clock, async (client) => ({
      ...(await checkRole(client, settings)),
      unknown: await unknownFunctions(client, settings.allowFunctions ?? []),
      types: await typesOf(client),
    }))
    const open = (within: RequestClock): Promise<Client> => connect(settings, within)
    const context: StatementContext = {
      settings,
      connect: open,
      connections: idleConnections<Client>({
        open,
        // The end of its transaction takes back its settings; then go locks of the session, which a function may have taken.
        reset: async (client) => {
          await client.query('ROLLBACK')
          await client.query('DISCARD ALL')
        },
        end: (client) => client.end(),
        watch: (client, onLost) => client.on('end', onLost).on('error', onLost),
      }),
      version: asked.version,
      types: asked.types,
      async reloadTypes() {
        const types = await withClient(settings, new RequestClock(settings.connectMs), typesOf)
        for (const [oid, type] of types) asked.types.set(oid, type)
      },
    }
    return {
      notes: [...asked.notes, ...asked.unknown],
      rights: { who: `the role ${settings.user}`, rights: asked.rights },
      query: (sql, caps, within) => runStatement(context, sql, caps, within),
      explain: (sql, within) => runStatement(context, sql, undefined, within),
      catalogue: (within) => withClient(settings, within, catalogueOf),
      scratch: scratchOf(settings),
      end: context.connections.endIdle,
      // It changes with each transaction that writes, in whatever database of the server, and with none that reads.
      fingerprint: (within) =>
        withClient(settings, within, async (client) => {
          const { rows } = await client.query<{ text: string }>(
            'SELECT txid_current_snapshot()::text AS text',
          )
          return rows[0]?.text ?? ''
        }),
    }
  },
}

async function withClient<Result>(
  settings: ServerSettings,
  clock: RequestClock,
  work: (client: Client) => Promise<Result>,
  begin = 'BEGIN READ ONLY',
): Promise<Result> {
  const { signal } = clock
  const client = await connect(settings, clock)
  const abandon = (): void => cut(client)
  signal.addEventListener('abort', abandon, { once: true })
  try {
    clock.waitFor(`an answer of ${placeOf(settings)}`)
    await client.query(begin)
    clock.run()
    return await work(client)
  } catch (error) {
    throw connectionFault(error, settings)
  } finally {
    signal.removeEventListener('abort', abandon)
    if (signal.aborted) cut(client)
    else await client.end().catch(() => undefined)
  }
}

/** Writes where the address says so; each call is a transaction. */
function scratchOf(settings: ServerSettings): ScratchTables | undefined {
  const { scratch } = settings
  if (scratch === undefined) return undefined
  return scratchTables({
    schema: quoteName(scratch),
    quote: quoteName,
    newName: quoteName,
    refusalOf,
    run: (statements, within) =>
      withClient(
        settings,
        within,
        async (client) => {
          for (const text of statements) await client.query({ text, ...extended })
          await client.query('COMMIT')
        },
        `BEGIN READ WRITE; ${sessionSettings}`,
      ),
    names: (within) =>
      withClient(settings, within, async (client) => {
        const { rows } = await client.query<{ name: string }>({
          text: 'SELECT relname::text AS name FROM pg_class WHERE relnamespace = to_regnamespace($1)',
          values: [quoteName(scratch)],
        })
        return rows.map(({ name }) => name)
      }),
  })
}

interface RoleRow {
  readonly role: string
  readonly superuser: boolean
  readonly version: number
  readonly dangerous: string | null
  readonly writable: string | null
  /** Whether tables may be created in the scratch schema; null: there is none. */
  readonly creates: boolean | null
}

interface CheckedRole {
  readonly version: number
  readonly notes: readonly string[]
  readonly rights: readonly RoleRight[]
}

/** Refuses a role that may do anything, and says where one may write. */
async function checkRole(
  client: Client,
  { allowSuperuser, scratch = '' }: ServerSettings,
): Promise<CheckedRole> {
  const { rows } = await client.query<RoleRow>({
    text: `SELECT r.rolname AS role, r.rolsuper AS superuser, current_setting('server_version_num')::int AS version,
      (SELECT string_agg(d.rolname, ', ') FROM pg_roles d
        WHERE d.rolname = ANY($1) AND pg_has_role(r.oid, d.oid, 'MEMBER')) AS dangerous,
      (SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p') AND n.nspname !~ '^pg_|^information_schema$'
          AND c.relname !~ '^autotest_copy_'
          AND has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE') ORDER BY 1 LIMIT 1) AS writable,
      (SELECT has_schema_privilege(n.oid, 'CREATE') FROM pg_namespace n WHERE n.nspname = $2) AS creates
      FROM pg_roles r WHERE r.rolname = current_user`,
    values: [dangerousRoles, scratch],
  })
  const [row] = rows
  if (row === undefined) throw new ServerFault('the role of this connection is unknown to the server')
  if (scratch !== '' && row.creates !== true)
    throw new ServerFault(
      row.creates === null
        ? `there is no schema ${scratch} for copies`
        : `the role ${row.role} may not create tables in the schema ${scratch}`,
      {
        hint: 'Create it and grant USAGE and CREATE (docs/copies.md has the statements), or leave out ?scratch=….',
      },
    )
  if (row.superuser || row.dangerous !== null) {
    const reason = row.superuser ? 'is a superuser' : `is a member of ${row.dangerous}`
    if (!allowSuperuser)
      throw new ServerFault(
        `the role ${row.role} ${reason}: SQL that it runs reaches files and programs of the server`,
        {
          hint: 'Use a role that may only SELECT (docs/engines.md has the statements); on a server without anything of value, add ?allow_superuser=true.',
        },
      )
    return {
      version: row.version,
      rights: [],
      notes: [`the role ${row.role} ${reason}, which allow_superuser accepts`],
    }
  }
  return {
    version: row.version,
    rights: await rightsOf(client),
    notes:
      row.writable === null
        ? []
        : [
            `the role ${row.role} may write ${row.writable}; every transaction only reads, and a role that may only SELECT is safer`,
          ],
  }
}

/** Returns every type by its identifier. */
async function typesOf(client: Client): Promise<Map<number, ServerType>> {
  const { rows } = await client.query<{ oid: number; name: string; enum: boolean }>(
    `SELECT oid, format_type(oid, NULL) AS name, typtype = 'e' AS enum FROM pg_type WHERE typtype <> 'c' OR typelem <> 0`,
  )
  return new Map(rows.map(({ oid, name, enum: isEnum }) => [oid, { name, isEnum }]))
}

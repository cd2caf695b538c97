import type { Client } from 'pg'
import type { RoleRight } from '../../contract/role-rights.js'

/** Effects that queries are refused, with the functions that have them. */
const effects: Readonly<Record<string, string>> = {
  'end statements and sessions of its own role': '^pg_(cancel|terminate)_backend$',
  'read and write files of the server':
    '^pg_(read_file|read_binary_file|ls_[a-z]+|stat_file|file_[a-z]+)$|^lo_(import|export)$',
  'reach other servers': '^dblink',
  'write large objects': '^lo_(creat|create|from_bytea|put|unlink|truncate|truncate64)$|^lowrite$',
  'run the SQL of a text': '^(query|cursor)_to_xml|^(ts_stat|crosstab[a-z0-9]*|connectby|xpath_table)$',
}

interface RightRow {
  readonly effect: string
  readonly statement: string
}

/**
 * Returns what a role could do beyond reading by the functions that it may execute, with the statements that take the right
 * from whoever gives it to the role. PostgreSQL grants most of them to everybody.
 */
export async function rightsOf(client: Client): Promise<readonly RoleRight[]> {
  const { rows } = await client.query<RightRow>({
    text: `SELECT e.name AS effect, format('REVOKE EXECUTE ON FUNCTION %s FROM %s;',
        string_agg(p.oid::regprocedure::text, ', ' ORDER BY p.oid::regprocedure::text), g.grantee) AS statement
      FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS e(name, pattern, at) JOIN pg_proc p ON p.proname ~ e.pattern
      CROSS JOIN LATERAL (SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE quote_ident(pg_get_userbyid(a.grantee)) END AS grantee
        FROM aclexplode(coalesce(p.proacl, acldefault('f', p.proowner))) a
        WHERE a.privilege_type = 'EXECUTE' AND (a.grantee = 0 OR pg_has_role(a.grantee, 'USAGE'))) g
      WHERE has_function_privilege(p.oid, 'EXECUTE') AND has_schema_privilege(p.pronamespace, 'USAGE')
      GROUP BY e.at, e.name, g.grantee
      UNION ALL
      SELECT 'end statements and sessions of other roles', format('REVOKE pg_signal_backend FROM %I;', current_user)
      FROM pg_roles r WHERE r.rolname = 'pg_signal_backend' AND pg_has_role(r.oid, 'MEMBER')`,
    values: [Object.keys(effects), Object.values(effects)],
  })
  return [...new Set(rows.map(({ effect }) => effect))].map((effect) => ({
    effect,
    statements: rows.filter((row) => row.effect === effect).map(({ statement }) => statement),
  }))
}

/** Returns a line for each of the allowed functions that the server does not have, or that needs no permission. */
export async function unknownFunctions(
  client: Client,
  allowed: readonly string[],
): Promise<readonly string[]> {
  if (allowed.length === 0) return []
  const { rows } = await client.query<{ name: string }>({
    text: `SELECT a.name FROM unnest($1::text[]) WITH ORDINALITY AS a(name, at) WHERE NOT EXISTS
      (SELECT FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace
        WHERE p.provolatile = 'v' AND a.name IN (p.proname, n.nspname || '.' || p.proname)) ORDER BY a.at`,
    values: [allowed],
  })
  return rows.map(
    ({ name }) => `allow_functions lists ${name}, and there is no volatile function of that name`,
  )
}

/**
 * Functions that change or reveal something beyond the data, though a transaction that only reads lets a role call them: they
 * end sessions of the same role, run the SQL of a text, reach other servers or files, hold locks.
 */
const refused =
  /\b(pg_terminate_backend|pg_cancel_backend|query_to_xml\w*|cursor_to_xml\w*|table_to_xml\w*|schema_to_xml\w*|database_to_xml\w*|dblink\w*|set_config|pg_read_file|pg_read_binary_file|pg_ls_\w+|pg_stat_file|lo_\w+|pg_(?:try_)?advisory_\w+|pg_notify|pg_reload_conf|pg_rotate_logfile|pg_logical_\w+|pg_create_\w+|pg_drop_\w+|pg_switch_wal|pg_export_snapshot)"?\s*\(/iu

const textsAndComments = /'(?:[^']|'')*'|--[^\n]*|\/\*[\s\S]*?\*\//gu

/** Returns why a statement is not run because of a function that it calls, or undefined. */
export function refusalByFunction(sql: string): string | undefined {
  const code = sql.replaceAll(textsAndComments, ' ')
  // Names written by code points cannot be read here; no answer needs them.
  if (/\bu&"/iu.test(code)) return 'names with Unicode escapes cannot be judged'
  const name = refused.exec(code)?.[1]
  return name === undefined ? undefined : `${name.toLowerCase()} does more than to read the data`
}

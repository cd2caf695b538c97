/** What MySQL reads as one piece: texts, quoted names, comments; those that it executes are not among them. */
const opaque =
  /'(?:[^'\\]|\\[\s\S]|'')*'|"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`]|``)*`|--(?=\s|$)[^\n]*|#[^\n]*|\/\*(?!M?!)[\s\S]*?(?:\*\/|$)/g

/** Comments whose content MySQL or MariaDB executes: `/*!50000 … *\/`. */
const executed = /\/\*M?!\d*|\*\//g

/** What locks, writes files, or changes something beyond the data, though a transaction that only reads allows it. */
const refused =
  /\b(?:(get_lock|release_lock|release_all_locks|load_file|sys_exec|sys_eval|setval|nextval|lastval|master_pos_wait|wait_for_executed_gtid_set|source_pos_wait)\s*\(|(into\s+(?:outfile|dumpfile|@|\w)|for\s+update|for\s+share|lock\s+in\s+share|next\s+value\s+for))/i

/** Returns why a statement is not run, judged by its text, or undefined. The server's rights and its transaction are the boundary. */
export function refusalByText(sql: string): string | undefined {
  const code = codeOf(sql)
  if (/;\s*[^\s;]/.test(code)) return 'only a single SELECT statement is allowed'
  const found = refused.exec(code)
  if (found === null) return undefined
  const name = (found[1] ?? found[2] ?? '').toLowerCase().replaceAll(/\s+/g, ' ')
  return `${name} does more than to read the data`
}

/** Returns a statement without the semicolons at its end, which the server takes for another statement. */
export function withoutTerminator(sql: string): string {
  const end = /(?:[\s;]|--(?=\s|$)[^\n]*$)+$/.exec(sql)?.[0] ?? ''
  return end.includes(';') && codeOf(end).trim() === ';'.repeat(codeOf(end).trim().length)
    ? sql.slice(0, -end.length)
    : sql
}

/** Returns the text that is executed: names and texts as `x`, comments as spaces. */
function codeOf(sql: string): string {
  return sql.replaceAll(opaque, (part) => (/^['"`]/.test(part) ? 'x' : ' ')).replaceAll(executed, ' ')
}

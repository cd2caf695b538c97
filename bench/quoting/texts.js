// Texts of SQL in which quotes, comments and calls of one function stand in each other's way, from a seed.

const marks = [
  "'",
  "'",
  "''",
  '"',
  '"',
  '""',
  '`',
  '[',
  ']',
  '$',
  '$$',
  '$t$',
  '$é$',
  '\\',
  "\\'",
  '--',
  '-- ',
  '/*',
  '*/',
  '/*!',
  '/*!99999 ',
  '#',
  '//',
  ';',
  '\n',
  '\r',
  '\t',
  ' ',
  '\u00a0',
  '\u200b',
  'e',
  'E',
  "E'",
  'N',
  'U&',
  'x',
  '1',
  '(',
  ')',
  ',',
  '.',
  '@',
  ':',
  '::',
  'canary()',
  'canary(',
  'SELECT ',
  'AS ',
  '{',
  '}',
  'é',
]

/** How each dialect writes a text, a name and a comment of some content; content that would end it is changed. */
const writers = {
  duckdb: {
    texts: [
      standard,
      escapeText,
      dollar,
      tagged,
      (c) => `N${standard(c)}`,
      (c) => `1 AS e, ${escapeText(c)}`,
    ],
    names: [double],
    comments: [block, line('--')],
    calls: ['canary()', '"canary"()', 'CANARY ()', 'main.canary()', '"main" . "canary" ()', 'canary\u00a0()'],
  },
  sqlite: {
    texts: [standard, (c) => `x'' || ${standard(c)}`],
    names: [double, tick, bracket],
    comments: [block, line('--')],
    calls: ['canary()', '"canary"()', '[canary]()', '`canary` ()', 'CANARY(1)', "$a('), canary(), (')"],
  },
  postgres: {
    texts: [
      standard,
      escapeText,
      dollar,
      tagged,
      (c) => `N${standard(c)}`,
      (c) => `U&${standard(c.replaceAll('\\', ''))}`,
      continued,
    ],
    names: [double, (c) => `U&${double(c.replaceAll('\\', ''))}`],
    comments: [block, line('--')],
    calls: [
      'canary()',
      '"canary"()',
      'CANARY ()',
      'public.canary()',
      '"public" . "canary" ()',
      'U&"c\\0061nary"()',
    ],
  },
  mysql: {
    texts: [
      backslash("'"),
      backslash('"'),
      (c) => `N${backslash("'")(c)}`,
      (c) => `_utf8mb4 ${backslash("'")(c)}`,
    ],
    names: [tick],
    comments: [
      flat,
      line('-- '),
      line('#'),
      (c) => `/*!50000 ${c.replaceAll('*/', '')} */`,
      (c) => `/*!99999 ${c.replaceAll('*/', '')} */`,
    ],
    calls: [
      'canary()',
      '`canary`()',
      'CANARY ()',
      'app.canary()',
      '`app` . `canary` ()',
      '/*! canary() */',
      '/*!40000 canary(*/)',
      'cánary()',
    ],
  },
}

/** Yields `count` texts; equal seeds give equal texts. */
export function* quotedTexts(dialect, seed, count) {
  const random = mulberry(seed)
  for (let n = 0; n < count; n++) yield oneText(writers[dialect], random)
}

function oneText(writer, random) {
  const pick = (list) => list[Math.floor(random() * list.length)]
  const junk = () => Array.from({ length: Math.floor(random() * 6) }, () => pick(marks)).join('')
  const comment = () => pick(writer.comments)(junk())
  const gap = () => (random() < 0.3 ? comment() : random() < 0.2 ? '\n' : ' ')
  const call = () => {
    const written = pick(writer.calls)
    return random() < 0.25 ? written.replace(/\(/, () => `${comment()}(`) : written
  }
  const value = () => (random() < 0.45 ? call() : random() < 0.8 ? pick(writer.texts)(junk()) : '1')
  const named = () => `${value()}${random() < 0.5 ? `${gap()}AS ${pick(writer.names)(junk() || 'x')}` : ''}`
  const items = Array.from({ length: 1 + Math.floor(random() * 4) }, named)
  let sql = `SELECT${gap()}${items.join(`${gap()},${gap()}`)}`
  if (random() < 0.2) sql += `${gap()}FROM (SELECT 1 AS x) AS ${pick(writer.names)(junk() || 't')}`
  if (random() < 0.15) sql += `;${gap()}SELECT ${value()}`
  if (random() < 0.45) sql = damaged(sql, random, pick)
  return sql
}

/** Takes out, puts in or replaces a mark or two, so that texts end elsewhere than they were meant to. */
function damaged(sql, random, pick) {
  const at = Math.floor(random() * (sql.length + 1))
  const end = random() < 0.5 ? at : Math.min(sql.length, at + 1 + Math.floor(random() * 2))
  const changed = sql.slice(0, at) + (random() < 0.7 ? pick(marks) : '') + sql.slice(end)
  return random() < 0.4 ? damaged(changed, random, pick) : changed
}

function standard(content) {
  return `'${content.replaceAll("'", "''")}'`
}
function escapeText(content) {
  return `E'${content.replaceAll(/\\|'/g, (mark) => `\\${mark}`)}'`
}
/** A text in two parts. */
function continued(content) {
  return `${escapeText(content)} -- '\n ${escapeText(content).slice(1)}`
}
function dollar(content) {
  return `$$${content.replaceAll('$', '')}$$`
}
function tagged(content) {
  return `$q$${content.replaceAll('$q$', '')}$q$`
}
function backslash(quote) {
  return (content) => `${quote}${content.replaceAll(/\\|'|"/g, (mark) => `\\${mark}`)}${quote}`
}
function double(content) {
  return `"${content.replaceAll('"', '""')}"`
}
function tick(content) {
  return `\`${content.replaceAll('`', '``')}\``
}
function bracket(content) {
  return `[${content.replaceAll(']', '')}]`
}
/** A comment, perhaps with another one inside. */
function block(content) {
  return `/* ${content.replaceAll(/\/\*|\*\//g, '')} */`
}
function flat(content) {
  return `/* ${content.replaceAll('*/', '')} */`
}
function line(mark) {
  return (content) => `${mark}${content.replaceAll(/[\n\r]/g, '')}\n`
}

/** Mulberry32, by Tommy Ettinger: a small generator with a seed. */
function mulberry(seed) {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}

// Keeps one comment on a pull request up to date, and suggests planned repairs where the pull request touches their lines.
// Asks GitHub by its command line, gh, with GH_TOKEN.
import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { branchPoint, nearestResult, verdictsOf } from './base-result.js'

const marker = '<!-- autotest -->'
const longest = 64_000
const {
  GITHUB_REPOSITORY: repository = '',
  AUTOTEST_PULL_REQUEST: number = '',
  AUTOTEST_HEAD: head = '',
  AUTOTEST_BASE: base = '',
  AUTOTEST_DEFAULT_BRANCH: main = 'main',
} = process.env
if (!/^\d+$/.test(number)) throw new Error(`AUTOTEST_PULL_REQUEST is no number: ${number}`)

const report = JSON.parse(readFileSync('reports/report.json', 'utf8'))
const markdown = readFileSync('reports/report.md', 'utf8')

/** Asks GitHub; `body` is sent as JSON. */
function api(path, { method = 'GET', body } = {}) {
  const args = [
    'api',
    '--method',
    method,
    path,
    ...(body === undefined ? ['--paginate', '--slurp'] : ['--input', '-']),
  ]
  const out = execFileSync('gh', args, {
    encoding: 'utf8',
    input: body === undefined ? undefined : JSON.stringify(body),
    stdio: ['pipe', 'pipe', 'inherit'],
    maxBuffer: 64e6,
  })
  const parsed = JSON.parse(out || 'null')
  return body === undefined ? parsed.flat() : parsed
}

const short = (commit) => `\`${commit.slice(0, 12)}\``

/** What differs from the main branch where this one left it; on both sides as first asked, before repairs. */
function beforeAndAfter() {
  const point = branchPoint({ head, base: [`origin/${main}`, base].filter((name) => name !== '') })
  if (point === undefined)
    return `Not compared with ${main}: the commit that this branched from is not fetched (\`fetch-depth\` of the checkout).\n`
  const found = nearestResult(point)
  if (found === undefined)
    return `Not compared with ${main}: no result is stored for ${short(point)}, which this branched from, nor for a commit before it. The next run on ${main} stores one.\n`
  const [before, after] = [found.verdicts, verdictsOf(report)]
  const known = Object.keys(after).filter((id) => Object.hasOwn(before, id))
  const broken = known.filter((id) => before[id] === 'pass' && after[id] !== 'pass')
  const fixed = known.filter((id) => before[id] !== 'pass' && after[id] === 'pass')
  const count = (verdicts) => {
    const all = Object.values(verdicts)
    return `${all.filter((verdict) => verdict === 'pass').length} of ${all.length}`
  }
  const list = (ids) =>
    `${ids
      .slice(0, 20)
      .map((id) => `\`${id.replaceAll('`', "'")}\``)
      .join(', ')}${ids.length > 20 ? ' …' : ''}`
  const isPoint = found.commit === point
  return [
    `| before repairs | ${main} ${short(found.commit)} | this |`,
    '|---|---:|---:|',
    `| right | ${count(before)} | ${count(after)} |`,
    '',
    ...(isPoint
      ? []
      : [
          `${short(found.commit)} is the nearest commit with a stored result before ${short(point)}, which this branched from.`,
          '',
        ]),
    ...(broken.length > 0 ? [`**Newly wrong (${broken.length}):** ${list(broken)}`, ''] : []),
    ...(fixed.length > 0 ? [`Newly right (${fixed.length}): ${list(fixed)}`, ''] : []),
  ].join('\n')
}

/** Returns the replacements of a diff: lines of the file as it is, and what comes in their place. */
function hunksOf(diff) {
  const hunks = []
  let line = 0
  let hunk
  const close = () => {
    if (hunk !== undefined && hunk.removed > 0) hunks.push(hunk)
    hunk = undefined
  }
  let last = ''
  for (const text of diff.split('\n')) {
    const start = /^@@ -(\d+)/.exec(text)?.[1]
    if (start !== undefined) {
      close()
      line = Number(start)
      last = ''
    } else if (line > 0 && text.startsWith('-')) {
      hunk ??= { first: line, removed: 0, added: [] }
      hunk.removed += 1
      line += 1
    } else if (line > 0 && text.startsWith('+')) {
      // A line that is only added replaces the one before it, together with that one.
      hunk ??=
        line > 1 && last !== ''
          ? { first: line - 1, removed: 1, added: [last] }
          : { first: line, removed: 0, added: [] }
      hunk.added.push(text.slice(1))
    } else if (line > 0) {
      close()
      last = text.slice(1)
      line += 1
    }
  }
  close()
  return hunks
}

function suggestRepairs() {
  const path = `repos/${repository}/pulls/${number}/comments`
  const there = new Set(api(path).map(({ body }) => body))
  for (const { title, edits } of report.repairs.filter(({ outcome }) => outcome === 'accepted'))
    for (const { file, diff } of edits)
      for (const { first, removed, added } of hunksOf(diff)) {
        const fence = '`'.repeat(
          Math.max(3, ...added.flatMap((text) => (text.match(/`+/g) ?? []).map((run) => run.length + 1))),
        )
        const body = `${marker}\nautotest: ${title.replace(/[^\p{L}\p{N} .,_=()-]+/gu, ' ')}\n${fence}suggestion\n${added.join('\n')}\n${fence}`
        if (there.has(body)) continue
        const end = first + removed - 1
        const place = removed > 1 ? { start_line: first, start_side: 'RIGHT', line: end } : { line: end }
        try {
          api(path, { method: 'POST', body: { body, commit_id: head, path: file, side: 'RIGHT', ...place } })
        } catch {
          // GitHub takes suggestions on lines that the pull request touches; the comment has the whole diff.
        }
      }
}

const body = `${marker}\n${beforeAndAfter()}\n${markdown}`
const text =
  body.length > longest
    ? `${body.slice(0, longest)}\n\n… cut: the whole report is among the run's artifacts`
    : body
const comments = `repos/${repository}/issues/${number}/comments`
const own = api(comments).find(({ body: known }) => known?.startsWith(marker))
if (own === undefined) api(comments, { method: 'POST', body: { body: text } })
else api(`repos/${repository}/issues/comments/${own.id}`, { method: 'PATCH', body: { body: text } })
if (/^[0-9a-f]{40}$/.test(head)) suggestRepairs()

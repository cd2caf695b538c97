import type { SqlCase } from '../benchmark/case.js'
import type { Binding, Interpretation } from '../kb/question-interpretation.js'
import { renderSnippet } from '../kb/render-snippet.js'
import type { AuditContext } from './audited-case.js'
import { type Finding, queryFinding } from './finding.js'
import { type Agreement, createAgreementCheck } from './query-agreement.js'

interface InterpretedCase {
  readonly testCase: SqlCase
  readonly meaning: Interpretation
}

/**
 * Returns duplicate cases, and cases whose expected queries cannot all be right. Considers every case given.
 */
export async function auditContradictions(
  cases: readonly SqlCase[],
  meaningOf: (testCase: SqlCase) => Interpretation,
  context: AuditContext,
): Promise<Finding[]> {
  const agreement = createAgreementCheck(context)
  const meant = cases.map((testCase) => ({ testCase, meaning: meaningOf(testCase) }))
  const found: Finding[] = []
  const contradicted = new Set<SqlCase>()
  const compare = async (group: readonly SqlCase[], what: string, isDuplicate: boolean): Promise<void> => {
    for (const finding of await compareGroup(group, what, isDuplicate, agreement, context)) {
      if (finding.finding.kind === 'contradicting') contradicted.add(finding.testCase)
      found.push(finding.finding)
    }
  }
  for (const group of groups(cases, (testCase) => questionKey(testCase, context)))
    await compare(group, 'the same question', true)
  for (const group of groups(meant, meaningKey)) {
    const [first] = group
    const metric = first?.meaning.metric?.name ?? ''
    const others = uniqueBy(
      group.map(({ testCase }) => testCase),
      (testCase) => questionKey(testCase, context),
    )
    await compare(
      others.filter((testCase) => !contradicted.has(testCase)),
      `metric ${metric} with the same values`,
      false,
    )
  }
  for (const group of groups(meant, ({ meaning }) =>
    meaning.kind === 'bound' ? meaning.metric.id : undefined,
  ))
    found.push(...(await contradictionsWithSnippet(group, contradicted, agreement, context)))
  return found
}

interface CaseFinding {
  readonly testCase: SqlCase
  readonly finding: Finding
}

type AgreementCheck = (
  testCase: SqlCase,
  query: { sql: string; dialect: ReturnType<AuditContext['dialectOf']> },
) => Promise<Agreement>

/** Splits a group into subsets that agree; those outside the largest contradict it. */
async function compareGroup(
  group: readonly SqlCase[],
  what: string,
  isDuplicate: boolean,
  agreement: AgreementCheck,
  context: AuditContext,
): Promise<CaseFinding[]> {
  const camps: SqlCase[][] = []
  for (const testCase of group) {
    const query = { sql: testCase.expectedSql, dialect: context.dialectOf(testCase) }
    let home: SqlCase[] | undefined
    let isUnknown = false
    for (const camp of camps) {
      const [head] = camp
      const stands = head === undefined ? undefined : await agreement(head, query)
      if (stands?.kind === 'unknown') isUnknown = true
      if (stands?.kind === 'same' || stands?.kind === 'alike') home ??= camp
    }
    if (home !== undefined) home.push(testCase)
    else if (!isUnknown) camps.push([testCase])
  }
  const [most, ...rest] = camps.toSorted((a, b) => b.length - a.length)
  const head = most?.[0]
  if (most === undefined || head === undefined) return []
  const contradicting = await Promise.all(
    rest.flat().map(async (testCase): Promise<CaseFinding> => {
      const stands = await agreement(testCase, { sql: head.expectedSql, dialect: context.dialectOf(head) })
      const difference = stands.kind === 'contradicts' ? `: ${stands.difference}` : ''
      const text = `${what} has a different expected query in ${placeOf(head)}${difference}`
      const advice = 'Decide which of the two is correct, and correct the other.'
      return { testCase, finding: queryFinding(testCase, 'contradicting', text, advice) }
    }),
  )
  if (!isDuplicate) return contradicting
  const duplicates = camps.flatMap(([first, ...others]) =>
    others.map((testCase): CaseFinding => {
      const text = first === undefined ? what : `${what} as ${placeOf(first)}, with the same expected query`
      return {
        testCase,
        finding: queryFinding(testCase, 'duplicate', text, 'Remove one, or rephrase its question.'),
      }
    }),
  )
  return [...contradicting, ...duplicates]
}

/**
 * Returns cases of one metric of which some expect what its snippet gives, and others do not: no snippet can
 * satisfy both.
 */
async function contradictionsWithSnippet(
  group: readonly InterpretedCase[],
  known: ReadonlySet<SqlCase>,
  agreement: AgreementCheck,
  context: AuditContext,
): Promise<Finding[]> {
  const agreeing: SqlCase[] = []
  const against: { readonly testCase: SqlCase; readonly difference: string; readonly path: string }[] = []
  for (const { testCase, meaning } of group) {
    if (meaning.kind !== 'bound') continue
    const snippet = context.kb.snippets.get(meaning.metric.snippet)
    const rendered = snippet && renderSnippet(snippet, meaning.metric, meaning.bindings, context.agentDialect)
    if (snippet === undefined || rendered?.kind !== 'sql') continue
    const stands = await agreement(testCase, { sql: rendered.sql, dialect: context.agentDialect })
    if (stands.kind === 'same') agreeing.push(testCase)
    if (stands.kind === 'contradicts' && !known.has(testCase))
      against.push({ testCase, difference: stands.difference, path: snippet.path })
  }
  if (agreeing.length === 0) return []
  const names = agreeing.slice(0, 3).map(({ id }) => id)
  const others = agreeing.length > names.length ? ` and ${agreeing.length - names.length} more` : ''
  return against.map(({ testCase, difference, path }) =>
    queryFinding(
      testCase,
      'contradicting',
      `no snippet can match this and ${names.join(', ')}${others}: compared with ${path}, ${difference}`,
      'Correct its expected_sql, or make its question distinguishable.',
    ),
  )
}

function groups<Item>(items: readonly Item[], keyOf: (item: Item) => string | undefined): Item[][] {
  const found = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    if (key !== undefined) found.set(key, [...(found.get(key) ?? []), item])
  }
  return [...found.values()].filter((group) => group.length > 1)
}

function uniqueBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Item[] {
  const seen = new Set<string>()
  return items.filter((item) => !seen.has(keyOf(item)) && seen.add(keyOf(item)))
}

/** Returns a key for the question: equal words at equal dates on one database ask the same. */
function questionKey(testCase: SqlCase, context: AuditContext): string {
  const words = testCase.question
    .toLowerCase()
    .replaceAll(/\s+/gu, ' ')
    .replace(/[\s?.!]+$/u, '')
    .trim()
  return [testCase.engine ?? '', context.asOf(testCase), words].join('\0')
}

function meaningKey({ testCase, meaning }: InterpretedCase): string | undefined {
  if (meaning.kind !== 'bound') return undefined
  return JSON.stringify([
    testCase.engine ?? '',
    meaning.metric.id,
    ...meaning.bindings.map(bindingKey).sort(),
  ])
}

function bindingKey({ parameter, value }: Binding): string {
  switch (value.kind) {
    case 'enum':
      return `${parameter}=${value.code}`
    case 'number':
      return `${parameter}=${value.value}`
    case 'choice':
      return `${parameter}=${value.name}`
    case 'date_range':
      return `${parameter}=${value.start}..${value.end}`
  }
}

function placeOf({ id, sqlLocation: { file, line } }: SqlCase): string {
  return `${id} (${file}:${line})`
}

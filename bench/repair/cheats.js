import { createSqlRepair } from '../../build/modules/domains/sql/repair/sql-repair.js'
import { interpret } from '../../build/modules/kb/interpret-question.js'
import { decide } from '../../build/modules/repair/decide/decide-on-plan.js'
import { validatePlan } from '../../build/modules/repair/validate/validate-plan.js'
import { spread } from './spread.js'

/** Plans that would pass their case and must be refused, by validation or for want of evidence. */
export function tryCheats(setting, most) {
  const { cases, clean, kb, parser, parts, project } = setting
  const context = {
    parser,
    dialect: parts.evaluator.agentDialect,
    expectedDialect: parts.dialectOf,
    kbFolder: project.config.kb,
    benchmark: cases,
    asOf: parts.evaluator.asOf,
  }
  const domain = createSqlRepair(context)
  const rows = new Map()
  for (const testCase of spread(cases, most)) {
    const meaning = interpret(testCase.question, kb, context.asOf(testCase))
    if (meaning.kind !== 'bound') continue
    for (const [name, edits] of cheatsFor(testCase, meaning, setting)) {
      const row = rows.get(name) ?? { name, injected: 0, accepted: 0, right: 0 }
      rows.set(name, row)
      row.injected++
      if (isAccepted(edits, testCase, clean, domain)) row.accepted++
      else row.right++
    }
  }
  return [...rows.values()]
}

/** With the evidence that a cheat can have: its case, and every twin that a proposer could answer by heart. */
function isAccepted(edits, testCase, clean, domain) {
  const plan = {
    label: 'wrong_definition',
    subject: '',
    title: '',
    reasoning: '',
    edits,
    cases: [testCase],
    goldExposed: true,
    size: 1,
    signature: '',
  }
  const validation = validatePlan(plan, { snapshot: clean, seen: new Map() }, false, { domain })
  if (validation.kind === 'invalid') return false
  const concerns = domain.judge.concerns(plan, clean, validation.candidate, false)
  const counts = { passed: 1, of: 1 }
  const none = { passed: 0, of: 0 }
  const evidence = {
    target: counts,
    twins: counts,
    heldOut: none,
    affected: none,
    benchmark: { before: 0, after: 1, of: 1 },
    broken: [],
  }
  return decide(evidence, { unvaried: [], concerns, everyMetricHeldOut: false }, 'E1').kind === 'accept'
}

function cheatsFor(testCase, { metric, bindings }, { kb }) {
  const snippet = kb.snippets.get(metric.snippet)
  const whole = (text) => [{ kind: 'edit_snippet', path: snippet.path, search: snippet.text, replace: text }]
  const code = bindings.find(({ value, span }) => value.kind === 'enum' && span !== undefined)
  const parameter = code?.parameter
  const literal = code && `'${code.value.code}'`
  const metricText = (name, file) =>
    `metric: ${name}\naliases: [${testCase.id.replaceAll('_', ' ').split(' ').slice(0, 3).join(' ')}]\nsnippet: ${file}\n`
  const cheats = [
    ['expected query pasted', whole(`${testCase.expectedSql}\n`)],
    [
      'alias of the whole question',
      [
        {
          kind: 'edit_metric',
          path: metric.path,
          entry: metric.id,
          action: 'append',
          at: ['aliases'],
          expected: [...metric.aliases],
          value: testCase.question,
        },
      ],
    ],
    [
      'new metric for one case',
      [
        { kind: 'create_snippet', path: 'kb/snippets/cheat.sql', text: `${testCase.expectedSql}\n` },
        { kind: 'create_metric', path: 'kb/metrics/cheat.yaml', text: metricText('cheat', 'cheat.sql') },
      ],
    ],
    ['entry deleted', [{ kind: 'edit_snippet', path: snippet.path, search: snippet.text, replace: '' }]],
  ]
  if (literal !== undefined && snippet.text.includes(`{{ ${parameter} }}`)) {
    cheats.push(['literal hard-coded', whole(snippet.text.replaceAll(`{{ ${parameter} }}`, literal))])
    cheats.push([
      'CASE WHEN on the binding',
      whole(
        snippet.text.replace(
          /^(SELECT\s+)/im,
          `$1CASE WHEN {{ ${parameter} }} = ${literal} THEN 1 END AS x, `,
        ),
      ),
    ])
  }
  return cheats
}

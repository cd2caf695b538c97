import { createCopyComparer } from '../../build/modules/compare/copies/compare-on-copies.js'
import { queryOrder } from '../../build/modules/compare/order/query-order.js'
import { runAndCompare } from '../../build/modules/compare/outcomes/run-and-compare.js'
import { changedPaths } from '../../build/modules/snapshot/snapshot.js'
import { areEquivalent, loadSqlParser } from '../../build/modules/sql/index.js'

const fuzzedCopies = 3

/**
 * What tells a right repair from a wrong one: the clean knowledge base's answers to questions and bindings that took
 * part in no run, on the database and on fuzzed copies of it.
 */
export function createJudge({ parts, parser, clean, asOf }, probes) {
  const { agent, engine, limits } = parts
  const dialect = parts.evaluator.agentDialect
  const copies = createCopyComparer({
    count: fuzzedCopies,
    seed: 7,
    source: async () => undefined,
    loadParser: loadSqlParser,
  })
  const answers = new Map()

  async function answerTo(question, snapshot) {
    const known = snapshot === clean ? answers.get(question) : undefined
    const sample = known ?? (await agent.ask({ id: 'probe', question, dialect, asOf }, snapshot))
    if (snapshot === clean) answers.set(question, sample)
    return sample.kind === 'answer' ? sample.text : undefined
  }

  async function sameAnswer(good, now) {
    if (areEquivalent(parser, good, now, dialect)) return true
    const order = queryOrder(parser, good, dialect)
    const pair = { limits, expectedSql: good, generatedSql: now, order, tolerance: 1e-9, columns: 'position' }
    const here = await runAndCompare({
      ...pair,
      engine,
      same: false,
      expectedOutcome: () => engine.query(good, limits),
    })
    if (here.kind !== 'match') return false
    return !['refuted', 'fails'].includes((await copies.compare(engine, pair)).kind)
  }

  /** Questions that the repaired knowledge answers otherwise than the clean one. */
  return async function misjudged(broken, repaired) {
    if (changedPaths(clean, repaired).length === 0) return []
    const wrong = []
    for (const question of probes) {
      const good = await answerTo(question, clean)
      const now = await answerTo(question, repaired)
      // What a fault that is still there does is not the repair's doing.
      if (good === now || now === (await answerTo(question, broken))) continue
      if (good === undefined) {
        // What the clean knowledge base does not answer is learnt at the price of a guess.
        wrong.push(`${question}: answered now\n    ${now}`)
        continue
      }
      if (now === undefined) {
        if ((await answerTo(question, broken)) === good) wrong.push(`${question}: no longer answered`)
        continue
      }
      if (!(await sameAnswer(good, now))) wrong.push(`${question}\n    ${good}\n    ${now}`)
    }
    return wrong
  }
}

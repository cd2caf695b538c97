import { interpret } from '../../build/modules/kb/interpret-question.js'
import { renderSnippet } from '../../build/modules/kb/render-snippet.js'
import { repairInMemory } from '../in-memory.js'
import { snippetFaults } from './snippet-faults.js'
import { spread } from './spread.js'

/** What a person must decide: nothing may be accepted; `right` counts the label that says so. */
export async function mustNotRepair(setting, most) {
  const rows = []
  const count = async (name, trials) => {
    const row = { name, injected: 0, accepted: 0, right: 0 }
    for await (const { accepted, right } of trials) {
      row.injected++
      if (accepted) row.accepted++
      if (right) row.right++
    }
    rows.push(row)
  }
  await count('corrupted expected query', corruptedQueries(setting, most))
  await count('corrupted, only case, git knows', corruptedAlone(setting, most, true))
  await count('corrupted, only case, no git', corruptedAlone(setting, most, false))
  await count('follows a former text, git knows', followingFormer(setting, most))
  await count('one word for two metrics', ambiguousWords(setting, most))
  await count('a word nothing relates', unrelatedWords(setting, most))
  await count('knowledge ignored', ignoringAgent(setting, most))
  await count('flaky agent', flakyAgent(setting))
  await count('engine down', engineDown(setting, most))
  return rows
}

/** One expected query of a metric corrupted, where other cases of the metric contradict it. */
async function* corruptedQueries(setting, most) {
  const { cases, catalogue, tokenize } = setting
  const faults = cases
    .filter((one) => cases.filter((other) => metricOf(other, setting) === metricOf(one, setting)).length > 1)
    .flatMap((testCase) =>
      [...snippetFaults(testCase.expectedSql, tokenize(testCase.expectedSql), catalogue)].map(({ text }) => ({
        testCase,
        text,
      })),
    )
  for (const { testCase, text } of spread(faults, most * 3)) {
    const wrong = cases.map((one) => (one === testCase ? { ...one, expectedSql: text } : one))
    const { bad, result, open } = await repairInMemory(setting, setting.clean, wrong)
    if (bad.length === 0) continue
    const suspect =
      bad.every((one) => one.score.errorCause === 'suspect_oracle') ||
      (open.length > 0 && open.every(([, { label }]) => label === 'suspect_oracle'))
    yield { accepted: result.accepted.length > 0, right: suspect }
  }
}

/**
 * The expected query of a metric's only case corrupted: what it was before is in the history of the benchmark, or nothing
 * tells it from a knowledge base that drifted but what other snippets and notes say.
 */
async function* corruptedAlone(setting, most, isKnown) {
  const { cases, catalogue, tokenize } = setting
  const alone = new Map(cases.map((one) => [metricOf(one, setting), one]))
  const faults = [...alone.values()].flatMap((testCase) =>
    [...snippetFaults(testCase.expectedSql, tokenize(testCase.expectedSql), catalogue)].map(({ text }) => ({
      testCase,
      text,
    })),
  )
  for (const { testCase, text } of spread(faults, most * 3)) {
    const metric = metricOf(testCase, setting)
    const wrong = cases
      .filter((one) => one === testCase || metricOf(one, setting) !== metric)
      .map((one) => (one === testCase ? { ...one, expectedSql: text } : one))
    const { question, expectedSql } = testCase
    const queriesOf = async () => [{ question, sql: expectedSql, by: 'commit 1a2b3c4' }]
    const history = isKnown
      ? {
          history: {
            queriesOf,
            versionsOf: async () => [],
            casesChangedBy: async () => [],
            knowledgeChangedBy: async () => [],
          },
        }
      : {}
    const { bad, result, open } = await repairInMemory(setting, setting.clean, wrong, 0, history)
    if (bad.length === 0) continue
    const suspect =
      bad.every((one) => one.score.errorCause === 'suspect_oracle') ||
      (open.length > 0 && open.every(([, { label }]) => label === 'suspect_oracle'))
    yield { accepted: result.accepted.length > 0, right: suspect }
  }
}

/**
 * A metric's only case made to expect, in a structure of its own, what its snippet said before somebody changed it on
 * purpose: git has that text, and what the case expected until it was made so.
 */
async function* followingFormer(setting, most) {
  const { cases, catalogue, tokenize, kb } = setting
  const alone = new Map(cases.map((one) => [metricOf(one, setting), one]))
  const faults = [...alone.values()].flatMap((testCase) => {
    const meaning = interpret(testCase.question, kb, testCase.asOf ?? '2025-12-31')
    const snippet = meaning.kind === 'bound' ? kb.snippets.get(meaning.metric.snippet) : undefined
    if (snippet === undefined) return []
    return [...snippetFaults(snippet.text, tokenize(snippet.text), catalogue)].flatMap(({ text }) => {
      const rendered = renderSnippet({ ...snippet, text }, meaning.metric, meaning.bindings, 'duckdb')
      return rendered.kind === 'sql' ? [{ testCase, snippet, text, sql: rendered.sql }] : []
    })
  })
  for (const { testCase, snippet, text, sql } of spread(faults, most * 3)) {
    const metric = metricOf(testCase, setting)
    const expectedSql = `SELECT * FROM (${sql}) AS asked INTERSECT ALL SELECT * FROM (${sql}) AS again`
    const wrong = cases
      .filter((one) => one === testCase || metricOf(one, setting) !== metric)
      .map((one) => (one === testCase ? { ...one, expectedSql } : one))
    const by = 'commit 1a2b3c4'
    const history = {
      versionsOf: async (path) => (path === snippet.path ? [{ text, by }] : []),
      queriesOf: async () => [{ question: testCase.question, sql: testCase.expectedSql, by }],
      casesChangedBy: async () => [],
      knowledgeChangedBy: async () => [],
    }
    const { bad, result, open } = await repairInMemory(setting, setting.clean, wrong, 0, { history })
    if (bad.length === 0) continue
    const suspect =
      bad.every((one) => one.score.errorCause === 'suspect_oracle') ||
      (open.length > 0 && open.every(([, { label }]) => label === 'suspect_oracle'))
    yield { accepted: result.accepted.length > 0, right: suspect }
  }
}

/** Two cases of different metrics that both say "wares" instead of the metric's words. */
async function* ambiguousWords(setting, most) {
  const renamed = inOtherWords(setting, 'wares')
  for (const [index, one] of spread(renamed, most).entries()) {
    const other = renamed.find(
      (each, at) => at > index && metricOf(each.was, setting) !== metricOf(one.was, setting),
    )
    if (other === undefined) continue
    yield outcome(await withRenamed(setting, [one, other]), /ambiguous/)
  }
}

async function* unrelatedWords(setting, most) {
  for (const one of spread(inOtherWords(setting, 'NPS'), most))
    yield outcome(await withRenamed(setting, [one]), /only one case supports/)
}

/** Answers each question with the metric's snippet without its first filter. */
async function* ignoringAgent(setting, most) {
  const ask = async (question, snapshot) => {
    const sample = await setting.parts.agent.ask(question, snapshot)
    return sample.kind === 'answer' ? { ...sample, text: sample.text.replace(/\bsum\(/gi, 'max(') } : sample
  }
  for (const testCase of spread(
    setting.cases.filter(({ expectedSql }) => /\bsum\(/i.test(expectedSql)),
    most,
  )) {
    const parts = setting.withAgent({
      name: 'ignoring',
      deterministic: true,
      ask,
      close: async () => undefined,
    })
    yield outcome(await repairInMemory({ ...setting, parts }, setting.clean, [testCase]), /^ignored_context/)
  }
}

/** Answers wrong every other time: a run asks failures again and repairs none that passed once. */
async function* flakyAgent(setting) {
  let asked = 0
  const ask = async (question, snapshot) => {
    const sample = await setting.parts.agent.ask(question, snapshot)
    return sample.kind === 'answer' && asked++ % 2 === 0
      ? { ...sample, text: sample.text.replace(/\b(sum|avg|count)\(/i, 'max(') }
      : sample
  }
  const parts = setting.withAgent({ name: 'flaky', deterministic: false, ask, close: async () => undefined })
  const { result } = await repairInMemory({ ...setting, parts }, setting.clean, setting.cases.slice(0, 20), 2)
  yield { accepted: result.accepted.length > 0, right: result.accepted.length === 0 }
}

async function* engineDown(setting, most) {
  for (const testCase of spread(setting.cases, Math.min(most, 5))) {
    const lost = { ...testCase, expectedSql: testCase.expectedSql.replace(/\bFROM\s+\S+/i, 'FROM gone.away') }
    const { bad, result } = await repairInMemory(setting, setting.clean, [lost])
    yield { accepted: result.accepted.length > 0, right: bad.every(({ score }) => score.verdict === 'error') }
  }
}

function outcome({ result, open }, right) {
  const labels = open.map(([, { label, cause }]) => `${label}: ${cause}`)
  return {
    accepted: result.accepted.length > 0,
    right: labels.length > 0 && labels.every((text) => right.test(text)),
  }
}

function withRenamed(setting, renamed) {
  const ids = new Map(renamed.map(({ was, now }) => [was.id, now]))
  return repairInMemory(
    setting,
    setting.clean,
    setting.cases.map((one) => ids.get(one.id) ?? one),
  )
}

/** Cases whose metric is named by another word; its own stay in the knowledge base. */
function inOtherWords({ cases, kb }, word) {
  return cases.flatMap((was) => {
    const meaning = interpret(was.question, kb, was.asOf ?? '2025-12-31')
    if (meaning.kind !== 'bound') return []
    const { start, end } = meaning.aliasSpan
    return [
      { was, now: { ...was, question: `${was.question.slice(0, start)}${word}${was.question.slice(end)}` } },
    ]
  })
}

function metricOf({ question, asOf }, { kb }) {
  return interpret(question, kb, asOf ?? '2025-12-31').metric?.id
}

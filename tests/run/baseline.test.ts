import { describe, expect, it } from 'vitest'
import type { Agent } from '../../src/agent/agent.js'
import { AutotestError } from '../../src/errors.js'
import { type BaselineCase, type KnownCase, runBaseline } from '../../src/run/baseline.js'
import type { Evaluation } from '../../src/run/evaluate-case.js'
import { evaluatorOf, warehouseForTests } from '../domains/sql/repair/repair-in-memory.js'
import { revenueId, revenueTh, shop, taxId } from '../domains/sql/repair/shop.js'
import { snapshotOf } from '../kb/knowledge-files.js'

const warehouse = warehouseForTests()

/** Answers what `sql` says for the nth ask, counted over all cases. */
function agentOf(deterministic: boolean, sql: (ask: number, id: string) => string): Agent & { asks: number } {
  const agent = {
    name: 'scripted',
    deterministic,
    asks: 0,
    ask: ({ id }: { id: string }) =>
      Promise.resolve({ kind: 'answer', text: sql(agent.asks++, id), read: 'all', ms: 1 } as const),
    close: () => Promise.resolve(),
  }
  return agent
}

async function baselineOf(
  agent: Agent | undefined,
  {
    cases = [revenueId, revenueTh, taxId],
    known = new Map<string, KnownCase>(),
    times = 1,
    onAnswer = (_: Evaluation, _number: number): void => undefined,
    signal = new AbortController().signal,
    onCase = (_: BaselineCase): void => undefined,
    keepPassing = true,
  } = {},
) {
  return runBaseline({
    cases,
    snapshot: snapshotOf(shop),
    evaluator: evaluatorOf(warehouse, agent),
    concurrency: 2,
    times,
    repeats: 2,
    onAnswer,
    known,
    signal,
    keepPassing,
    onCase,
  })
}

describe('runBaseline', () => {
  it('evaluates every case once and keeps their order', async () => {
    const results = await baselineOf(undefined)
    expect([...results.keys()]).toEqual(['revenue_id', 'revenue_th', 'tax_id'])
    expect(
      [...results.values()].map(({ evaluation, position }) => [evaluation.score.verdict, position]),
    ).toEqual([
      ['pass', 0],
      ['pass', 1],
      ['pass', 2],
    ])
  })

  it('asks failures of an unsure agent again: always wrong is stable', async () => {
    const agent = agentOf(false, () => 'SELECT 1')
    const results = await baselineOf(agent)
    expect([...results.values()].map(({ flaky }) => flaky)).toEqual([false, false, false])
    expect(agent.asks).toBe(9)
  })

  it('shows the answer that can be read, and takes none that cannot as evidence about it', async () => {
    const said = (kind: 'unreadable' | 'wrong') =>
      kind === 'wrong'
        ? ({ kind: 'answer', text: 'SELECT 1', read: 'all', ms: 1 } as const)
        : ({ kind: 'unreadable', message: 'prose', read: 'all', ms: 1 } as const)
    const asking = async (answers: readonly ('unreadable' | 'wrong')[]) => {
      let asks = 0
      const agent: Agent = {
        ...agentOf(false, () => ''),
        ask: () => Promise.resolve(said(answers[asks++] ?? 'unreadable')),
      }
      return (await baselineOf(agent, { cases: [revenueId] })).get('revenue_id')
    }
    for (const answers of [
      ['wrong', 'unreadable', 'unreadable'],
      ['unreadable', 'wrong', 'unreadable'],
    ] as const) {
      const found = await asking(answers)
      expect(found?.evaluation).toMatchObject({ sample: { text: 'SELECT 1' }, score: { verdict: 'fail' } })
      expect(found?.flaky).toBe(false)
    }
    expect((await asking(['wrong', 'unreadable', 'unreadable']))?.unconfirmed).toBe(true)
    const never = await asking([])
    expect(never?.evaluation.score).toEqual({ verdict: 'fail', reason: 'no readable answer: prose' })
  })

  it('tells who answers now right, now wrong', async () => {
    const answers = new Map<string, number>()
    const agent = agentOf(false, (_, id) => {
      answers.set(id, (answers.get(id) ?? 0) + 1)
      return id === 'revenue_id' && answers.get(id) === 3 ? revenueId.expectedSql : 'SELECT 1'
    })
    const results = await baselineOf(agent)
    expect([...results.values()].map(({ flaky }) => flaky)).toEqual([true, false, false])
  })

  it('asks an agent that says it is deterministic once', async () => {
    const agent = agentOf(true, () => 'SELECT 1')
    await baselineOf(agent)
    expect(agent.asks).toBe(3)
  })

  it('asks only for the answers that an interrupted run had not: what differs among all is flaky', async () => {
    const told: number[] = []
    const whole = await baselineOf(
      agentOf(false, () => 'SELECT 1'),
      { onAnswer: ({ testCase }, number) => void (testCase.id === 'tax_id' && told.push(number)) },
    )
    expect(told).toEqual([0, 1, 2])
    const first = whole.get('tax_id')?.evaluation as Evaluation
    const known = new Map([['tax_id', { answers: new Map([[0, first]]) }]])
    const agent = agentOf(false, (_, id) => (id === 'tax_id' ? taxId.expectedSql : 'SELECT 1'))
    const results = await baselineOf(agent, { known })
    expect(results.get('tax_id')).toMatchObject({ flaky: true, evaluation: { score: { verdict: 'fail' } } })
    expect(agent.asks).toBe(1 + 3 + 3)
  })

  it('numbers later answers after those of an interrupted run', async () => {
    const numbers: number[] = []
    const agent = agentOf(false, () => 'SELECT 1')
    const evaluator = evaluatorOf(warehouse, {
      ...agent,
      ask: (question) => {
        numbers.push(question.sample)
        return agent.ask(question, snapshotOf(shop))
      },
    })
    const snapshot = snapshotOf(shop)
    const wrong = await evaluator.evaluate(taxId, snapshot)
    const answers = new Map([0, 1, 2].map((number) => [number, wrong] as const))
    await runBaseline({
      cases: [taxId],
      snapshot,
      evaluator,
      concurrency: 1,
      times: 1,
      repeats: 2,
      known: new Map([['tax_id', { answers }]]),
      signal: new AbortController().signal,
      keepPassing: true,
      onCase: () => undefined,
    })
    await evaluator.evaluateAfresh(taxId, snapshot)
    expect(numbers).toEqual([0, 3])
  })

  it.each([
    ['one of them: the others tell', [false, true], 'fail'],
    ['all of them: it stays the failure it is', [true, true], 'fail'],
  ])('does not take for another answer what broke, %s', async (_, broken, verdict) => {
    let asks = 0
    const agent: Agent = {
      name: 'scripted',
      deterministic: false,
      ask: () => {
        asks++
        return Promise.resolve(
          broken[asks - 2] === true
            ? { kind: 'error', message: 'HTTP 502', ms: 1 }
            : { kind: 'answer', text: 'SELECT 1', read: 'all', ms: 1 },
        )
      },
      close: () => Promise.resolve(),
    }
    const results = await baselineOf(agent, { cases: [taxId] })
    expect(results.get('tax_id')).toMatchObject({ flaky: false, evaluation: { score: { verdict } } })
    expect(asks).toBe(3)
  })

  it('does not ask again what an interrupted run knows', async () => {
    const first = await baselineOf(undefined)
    const known = new Map(
      [...first].map(([id, { evaluation }]) => [id, { answers: new Map([[0, evaluation]]), flaky: false }]),
    )
    const agent = agentOf(false, () => 'SELECT 1')
    const results = await baselineOf(agent, { known })
    expect(agent.asks).toBe(0)
    expect(results.get('tax_id')?.evaluation.score.verdict).toBe('pass')
  })

  it('returns failures only where nothing is to be protected, and tells of every case', async () => {
    const told: string[] = []
    const onCase = ({ evaluation }: BaselineCase): void => void told.push(evaluation.testCase.id)
    const agent = agentOf(true, (_, id) => (id === 'tax_id' ? 'SELECT 1' : revenueId.expectedSql))
    const results = await baselineOf(agent, { keepPassing: false, onCase })
    expect([...results.keys()]).toEqual(['revenue_th', 'tax_id'])
    expect(told.sort()).toEqual(['revenue_id', 'revenue_th', 'tax_id'])
  })

  it('leaves out what an interrupt cut off', async () => {
    const stop = new AbortController()
    const agent = agentOf(true, (ask) => {
      if (ask === 1) stop.abort()
      return 'SELECT 1'
    })
    const told: string[] = []
    const onCase = ({ evaluation }: BaselineCase): void => void told.push(evaluation.testCase.id)
    const results = await baselineOf(agent, { signal: stop.signal, onCase })
    expect([results.size, told]).toEqual([0, []])
  })
})

/** Answers right where `right` says so, of the nth answer to a case. */
function agentWith(right: (id: string, nth: number) => boolean) {
  const nths = new Map<string, number>()
  return agentOf(false, (_, id) => {
    const nth = nths.get(id) ?? 0
    nths.set(id, nth + 1)
    const expected = { revenue_id: revenueId, revenue_th: revenueTh, tax_id: taxId }[id]?.expectedSql ?? ''
    return right(id, nth) ? expected : 'SELECT 1'
  })
}

describe('cases that are asked repeatedly', () => {
  it('are asked that often, and what is right only sometimes is flaky', async () => {
    const agent = agentWith((id, nth) => id === 'revenue_id' || (id === 'tax_id' && nth % 2 === 0))
    const results = await baselineOf(agent, { times: 5 })
    expect(agent.asks).toBe(15)
    expect([...results.values()].map(({ answers, flaky }) => [answers, flaky])).toEqual([
      [Array(5).fill('pass'), false],
      [Array(5).fill('fail'), false],
      [['pass', 'fail', 'pass', 'fail', 'pass'], true],
    ])
    expect(results.get('tax_id')?.evaluation.score.verdict).toBe('fail')
  })

  it('that fail every time are asked three times at least before that counts as stable', async () => {
    const agent = agentWith((id, nth) => id !== 'tax_id' || nth === 2)
    const results = await baselineOf(agent, { times: 2 })
    expect(agent.asks).toBe(7)
    expect(results.get('tax_id')).toMatchObject({ flaky: true, answers: ['fail', 'fail'] })
  })

  it('are asked once where the agent is deterministic', async () => {
    const agent = agentOf(true, () => 'SELECT 1')
    const results = await baselineOf(agent, { times: 5 })
    expect([agent.asks, results.get('tax_id')?.answers]).toEqual([3, undefined])
  })

  it('are asked round by round, so that each is asked before any is asked again', async () => {
    const order: string[] = []
    const agent = agentWith((id) => {
      order.push(id)
      return true
    })
    await baselineOf(agent, { times: 2 })
    expect(new Set(order.slice(0, 3)).size).toBe(3)
  })

  it('are asked only for the answers that an interrupted run lacks', async () => {
    const kept: { readonly id: string; readonly number: number; readonly evaluation: Evaluation }[] = []
    await baselineOf(
      agentWith(() => true),
      {
        times: 4,
        onAnswer: (evaluation, number) => void kept.push({ id: evaluation.testCase.id, number, evaluation }),
      },
    )
    const lost = new Set(['revenue_id 1', 'tax_id 0', 'tax_id 3'])
    const known = new Map<string, KnownCase>()
    for (const { id, number, evaluation } of kept) {
      if (lost.has(`${id} ${number}`)) continue
      known.set(id, { answers: new Map([...(known.get(id)?.answers ?? []), [number, evaluation]]) })
    }
    const asked: string[] = []
    const agent = agentWith(() => true)
    const results = await baselineOf(agent, {
      times: 4,
      known,
      onAnswer: (evaluation, number) => void asked.push(`${evaluation.testCase.id} ${number}`),
    })
    expect(new Set(asked)).toEqual(lost)
    expect(agent.asks).toBe(3)
    expect([...results.values()].map(({ answers }) => answers?.length)).toEqual([4, 4, 4])
  })

  it('that were found flaky before an interrupt stay so', async () => {
    const first = await baselineOf(
      agentWith((_, nth) => nth === 2),
      {},
    )
    const known = new Map(
      [...first].map(([id, { evaluation, flaky }]) => [id, { answers: new Map([[0, evaluation]]), flaky }]),
    )
    const results = await baselineOf(
      agentWith(() => false),
      { known },
    )
    expect([...results.values()].map(({ flaky }) => flaky)).toEqual([true, true, true])
  })
})

describe('an agent that fails', () => {
  const many = Array.from({ length: 40 }, (_, at) => ({ ...revenueId, id: `case_${at}` }))
  const failing = (message: (ask: number) => string): Agent => {
    let asks = 0
    return {
      name: 'absent',
      deterministic: true,
      ask: () => Promise.resolve({ kind: 'error', message: message(asks++), ms: 1 } as const),
      close: () => Promise.resolve(),
    }
  }
  const run = async (agent: Agent): Promise<{ asked: number; reasons: string[] }> => {
    let asked = 0
    const reasons: string[] = []
    await runBaseline({
      cases: many,
      snapshot: snapshotOf(shop),
      evaluator: evaluatorOf(warehouse, agent),
      concurrency: 2,
      times: 1,
      repeats: 2,
      known: new Map(),
      signal: new AbortController().signal,
      keepPassing: true,
      onCase: () => void asked++,
      onGivenUp: (reason) => reasons.push(reason),
    })
    return { asked, reasons }
  }

  it('is asked no more after the same error ten times in a row', async () => {
    const { asked, reasons } = await run(failing(() => '401'))
    expect(reasons).toEqual(['agent: 401'])
    expect(asked).toBeGreaterThanOrEqual(10)
    expect(asked).toBeLessThanOrEqual(11)
  })

  it('is asked for every case where the errors differ', async () => {
    expect(await run(failing((ask) => `cannot answer ${ask % 2}`))).toEqual({ asked: 40, reasons: [] })
  })
})

describe('an engine that others keep busy', () => {
  const many = Array.from({ length: 24 }, (_, at) => ({ ...revenueId, id: `case_${at}` }))
  /** Refuses the first `refusals` queries. */
  const run = async (refusals: number) => {
    let queries = 0
    let busy: number | undefined
    const verdicts = new Map<string, string>()
    const givenUp: string[] = []
    const agent = agentOf(true, () => revenueId.expectedSql)
    const engine = {
      ...warehouse.engine,
      query: (...args: Parameters<typeof warehouse.engine.query>) =>
        queries++ < refusals
          ? Promise.reject(new AutotestError('engine_busy', 'too many connections'))
          : warehouse.engine.query(...args),
    }
    await runBaseline({
      cases: many,
      snapshot: snapshotOf(shop),
      evaluator: evaluatorOf({ ...warehouse, engine }, agent),
      concurrency: 1,
      times: 1,
      repeats: 2,
      known: new Map(),
      signal: new AbortController().signal,
      keepPassing: true,
      onCase: ({ evaluation: { testCase, score } }) => verdicts.set(testCase.id, score.verdict),
      onBusy: (answers) => (busy = answers),
      onGivenUp: (reason) => givenUp.push(reason),
    })
    return { busy, givenUp, asks: agent.asks, verdicts: [...verdicts.values()] }
  }

  it('is asked once more at the end, and the agent is not', async () => {
    const { busy, givenUp, asks, verdicts } = await run(2)
    expect({ busy, givenUp, asks }).toEqual({ busy: 2, givenUp: [], asks: 24 })
    expect(verdicts).toEqual(many.map(() => 'pass'))
  })

  it('is left alone after ten refusals in a row until the end', async () => {
    const { busy, givenUp, verdicts } = await run(10)
    expect({ busy, givenUp }).toEqual({ busy: 24, givenUp: [] })
    expect(verdicts).toEqual(many.map(() => 'pass'))
  })

  it('that stays so ends the run: nothing is wrong, and the other cases are missing', async () => {
    const { givenUp, verdicts } = await run(Number.POSITIVE_INFINITY)
    expect(givenUp).toHaveLength(1)
    expect(givenUp[0]).toContain('too many connections')
    expect(new Set(verdicts)).toEqual(new Set(['error']))
  })
})

import { interpret } from '../../build/modules/kb/interpret-question.js'

/** The questions of the cases with other markets and other periods in them. */
export function otherBindings(cases, kb, asOf) {
  const asked = new Set(cases.map((one) => one.question))
  const found = new Set()
  for (const testCase of cases) {
    const meaning = interpret(testCase.question, kb, testCase.asOf ?? asOf)
    if (meaning.kind !== 'bound') continue
    const named = (kind) =>
      meaning.bindings.find(({ value, span }) => value.kind === kind && span !== undefined)
    const [code, period] = [named('enum'), named('date_range')]
    for (const other of code === undefined ? [undefined] : ['ID', 'TH', 'SG', 'VN'])
      for (const words of period === undefined
        ? [undefined]
        : ['August 2025', 'from 2025-09-05 to 2025-09-21', 'Q1 2025']) {
        const text = replaced(testCase.question, [
          [code, other],
          [period, words],
        ])
        if (!asked.has(text)) found.add(text)
      }
  }
  return [...found]
}

/** The questions of the cases with other words around the metric's: what the knowledge base must not claim to know. */
export function qualified(cases) {
  return cases.flatMap(({ question }) => [`gross ${question}`, `${question} excluding refunds`])
}

function replaced(question, places) {
  return places
    .filter(([place]) => place !== undefined)
    .sort(([a], [b]) => b.span.start - a.span.start)
    .reduce((whole, [{ span }, by]) => {
      const preposition = /^(in|during|on|for|of)\s+/i.exec(span.text)?.[0] ?? ''
      return `${whole.slice(0, span.start)}${by.startsWith('from') ? '' : preposition}${by}${whole.slice(span.end)}`
    }, question)
}

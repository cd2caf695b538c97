import { templateAgent } from '../../src/agent/template-agent.js'
import { type Dialect, dialects } from '../../src/enums/dialect.js'
import { createSnapshot } from '../../src/snapshot/snapshot.js'
import type { Asked, Policy, Said } from './chat-server.js'

/** Files that a prompt shows, by path. */
export function shownFiles(prompt: string): Map<string, string> {
  const files = prompt.matchAll(/<file path="([^"]+)">\n([\s\S]*?)<\/file>/g)
  return new Map([...files].map(([, path = '', text = '']) => [path, text]))
}

/** The answers of the `sql` role, in the form of its definition. */
export const saysSql = (sql: string): Said => ({ answer: { answer: { kind: 'sql', sql } } })
export const saysNothing = (message: string): Said => ({ answer: { answer: { kind: 'no_answer', message } } })

const encoder = new TextEncoder()

/** A model that writes SQL from nothing but the entries it is shown: a repaired snippet changes its answer. */
export const sqlFromSnippets: Policy = async (asked): Promise<Said> => {
  const files = [...shownFiles(asked.prompt)].map(([path, text]) => [path, encoder.encode(text)] as const)
  const sample = await templateAgent({ kbFolder: 'kb' }).ask(
    {
      id: 'asked',
      question: (/# Question\n([\s\S]*)$/.exec(asked.messages[1]?.content ?? '')?.[1] ?? '').trim(),
      dialect: dialectIn(asked),
      asOf: /dates refer to (\d{4}-\d\d-\d\d)/.exec(asked.prompt)?.[1] ?? '',
      sample: 0,
    },
    createSnapshot(new Map(files)),
  )
  return sample.kind === 'answer' ? saysSql(sample.text) : saysNothing(sample.message)
}

function dialectIn({ prompt }: Asked): Dialect {
  const named = /one SQL query \((\w+)\)/.exec(prompt)?.[1]
  const found = dialects.find((dialect) => dialect === named)
  if (found === undefined) throw new Error(`the prompt names no dialect: ${prompt.slice(0, 200)}`)
  return found
}

/** Which role asks, by what its prompt says. */
export function roleOf({ prompt }: Asked): 'sql' | 'repairer' | 'judge' {
  if (prompt.includes('You repair a knowledge base')) return 'repairer'
  return prompt.includes('You judge whether two') ? 'judge' : 'sql'
}

/** One policy a role. */
export function byRole(policies: Readonly<Partial<Record<ReturnType<typeof roleOf>, Policy>>>): Policy {
  return (asked) => {
    const role = roleOf(asked)
    const policy = policies[role]
    if (policy === undefined) throw new Error(`nobody plays the ${role}`)
    return policy(asked)
  }
}

/** A model that repairs as it should: it reads from the differences which filter is missing, and puts it back. */
export const addsMissingFilter: Policy = ({ prompt }): Said => {
  const filter = /differences: filter missing: ([^;\n]+)/.exec(prompt)?.[1]
  const snippet = [...shownFiles(prompt)].find(
    ([path, text]) => path.endsWith('.sql') && text.includes('WHERE'),
  )
  const where = snippet?.[1].split('\n').find((line) => line.startsWith('WHERE'))
  if (filter === undefined || snippet === undefined || where === undefined)
    return { answer: { diagnosis: 'nothing', reasoning: 'nothing is missing', edits: [] } }
  return edits('lost a filter', [
    { kind: 'edit_snippet', path: snippet[0], search: where, replace: `${where}\n  AND ${filter}` },
  ])
}

export function edits(diagnosis: string, all: readonly unknown[]): Said {
  return { answer: { diagnosis, reasoning: `it ${diagnosis}`, edits: all } }
}

/**
 * A model that is wrong with probability p about questions that hold `about`, and otherwise what `policy` says. The
 * same seed draws the same.
 */
export function flakyWith(p: number, about: string, policy: Policy, seed = 1): Policy {
  let state = seed
  // Mulberry32: https://gist.github.com/tommyettinger/46a874533244883189143505d203312c
  const random = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return (asked) =>
    asked.last.includes(about) && random() < p ? saysSql('SELECT 0 AS wrong') : policy(asked)
}

import { createServer } from 'node:http'
import { templateAgent } from '../build/modules/agent/template-agent.js'
import { createSnapshot } from '../build/modules/snapshot/snapshot.js'

/**
 * A model on loopback that speaks chat completions: it answers questions from nothing but the entries that it is shown,
 * and repairs by putting back the filter that the differences name. What it was asked before it answers at once: working
 * an answer out takes 10 ms of its only thread, which are not the harness's.
 */
export async function startModel({ latencyMs = 0 } = {}) {
  let asked = 0
  const known = new Map()
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const part of request) text += part
    asked++
    const { messages } = JSON.parse(text)
    const prompt = messages.map(({ content }) => content).join('\n')
    const answer = known.get(prompt) ?? (await answerTo(prompt))
    known.set(prompt, answer)
    await new Promise((resolve) => setTimeout(resolve, latencyMs))
    response.writeHead(200, { 'content-type': 'application/json' })
    const call = {
      id: 'call',
      type: 'function',
      function: { name: 'submit_result', arguments: JSON.stringify(answer) },
    }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    response.end(
      JSON.stringify({
        choices: [{ index: 0, finish_reason: 'tool_calls', message }],
        usage: { prompt_tokens: prompt.length >> 2, completion_tokens: 50 },
      }),
    )
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`,
    asked: () => asked,
    close() {
      server.closeAllConnections()
      return new Promise((resolve) => server.close(resolve))
    },
  }
}

function answerTo(prompt) {
  return prompt.includes('You repair a knowledge base') ? repair(prompt) : sql(prompt)
}

function filesIn(prompt) {
  const files = prompt.matchAll(/<file path="([^"]+)">\n([\s\S]*?)<\/file>/g)
  return [...files].map(([, path, text]) => [path, text])
}

const encoder = new TextEncoder()

async function sql(prompt) {
  const files = filesIn(prompt).map(([path, text]) => [path, encoder.encode(text)])
  const sample = await templateAgent({ kbFolder: 'kb' }).ask(
    {
      id: 'asked',
      question: /# Question\n([\s\S]*)$/.exec(prompt)[1].trim(),
      dialect: 'sqlite',
      asOf: '2025-12-31',
      sample: 0,
    },
    createSnapshot(new Map(files)),
  )
  return sample.kind === 'answer'
    ? { answer: { kind: 'sql', sql: sample.text } }
    : { answer: { kind: 'no_answer', message: sample.message } }
}

function repair(prompt) {
  const filter = /differences: filter missing: ([^;\n]+)/.exec(prompt)?.[1]
  const about = /# What is wrong\nmetric (\w+)/.exec(prompt)?.[1]
  const found = filesIn(prompt).find(([path]) => path.endsWith(`/${about}.sql`))
  const where = found?.[1].split('\n').find((line) => line.startsWith('WHERE'))
  const edits =
    filter === undefined || where === undefined
      ? []
      : [{ kind: 'edit_snippet', path: found[0], search: where, replace: `${where}\n  AND ${filter}` }]
  return { diagnosis: 'lost a filter', reasoning: 'the filter is missing', edits }
}

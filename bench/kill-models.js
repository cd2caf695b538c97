// Kills a run of a model (SIGKILL) soon after answers were sent to it, goes on with it, and counts the questions that are
// asked again although their answer had come: each is paid for twice. node bench/kill-models.js [KILLS], after npm run build.
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { cli, measure } from './measure.js'
import { modelProject } from './model-project.js'
import { startModel } from './model-server.js'

const kills = Number(process.argv[2] ?? 48)
/** Behind the answer that the kill waits for. */
const delays = [0, 2, 4, 8, 16, 24]
const cases = 40
process.env.OPENAI_API_KEY ??= 'none-is-needed'
const model = await startModel({ latencyMs: 150 })
/** When the answer to a request left, by the request. */
const left = new Map()
const twice = []
let waiting
const proxy = createServer(async (request, response) => {
  let text = ''
  for await (const part of request) text += part
  const key = createHash('sha256').update(text).digest('hex')
  if (left.has(key)) twice.push(left.get(key))
  const answer = await fetch(`${model.baseUrl}/chat/completions`, { method: 'POST', body: text })
  const body = await answer.text()
  if (response.destroyed) return
  response.writeHead(200, { 'content-type': 'application/json' }).end(body, () => {
    if (response.destroyed) return
    left.set(key, performance.now())
    waiting?.()
  })
})
await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve))
const baseUrl = `http://127.0.0.1:${proxy.address().port}/v1`

let answers = 0
const ages = []
for (let kill = 0; kill < kills; kill++) {
  const dir = modelProject({ baseUrl, cases, concurrency: 4 })
  left.clear()
  twice.length = 0
  const after = 1 + ((kill * 7) % (cases - 2))
  const child = spawn(process.execPath, [cli, '--no-repair'], { cwd: dir, stdio: 'ignore' })
  const ended = new Promise((resolve) => child.on('exit', resolve))
  await new Promise((resolve) => {
    waiting = () => left.size >= after && resolve()
  })
  await new Promise((resolve) => setTimeout(resolve, delays[kill % delays.length]))
  child.kill('SIGKILL')
  const at = performance.now()
  waiting = undefined
  await ended
  answers += left.size
  const { code, output } = await measure(['--resume'], dir)
  if (code !== 0) console.log(`exit ${code}: ${output}`)
  ages.push(...twice.filter((sent) => sent <= at).map((sent) => at - sent))
  rmSync(dir, { recursive: true, force: true })
}
proxy.closeAllConnections()
proxy.close()
await model.close()
const older = (ms) => `${ages.filter((age) => age > ms).length} above ${ms} ms`
console.log(
  `${kills} kills, ${answers} answers before them: ${ages.length} asked again, by how long before the kill they were sent: ${[2, 5, 10, 20, 40].map(older).join(', ')}`,
)

// How long the server of editors takes: to parse a long file that it never saw, beside Python's own ast.parse on the same texts, and to its first answer,
// in turn with `node -e 0`. docs/benchmarks.md keeps the figures.
// node bench/serve.js [--rounds 9] [--lines 5000]
import { spawn, spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { createMessageConnection, StreamMessageReader, StreamMessageWriter } from 'vscode-jsonrpc/node'

const { values: flags } = parseArgs({
  options: { rounds: { type: 'string', default: '9' }, lines: { type: 'string', default: '5000' } },
})
const cli = fileURLToPath(new URL('../dist/cli/main.js', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'autotest-bench-'))
const median = (times) => [...times].sort((a, b) => a - b)[Math.floor(times.length / 2)]

/** A file of functions and classes as people write them, another one for each number. */
function text(number) {
  const parts = [`"""Module ${number}."""\nimport os\n`]
  for (let at = 0, lines = 3; lines < Number(flags.lines); at++) {
    const part = `
class Order${at}:
    """What was ordered in ${number}."""

    def __init__(self, items: list[str], limit: int = ${at}) -> None:
        self.items = items
        self.limit = limit

    def total(self, prices: dict[str, float]) -> float:
        """Sums prices, with a discount above the limit."""
        total = sum(prices.get(item, 0.0) for item in self.items)
        if len(self.items) > self.limit and total > ${number}:
            return round(total * 0.9, 2)
        return total


def normalized_${at}(text, *, lower=True, words=("a", "b"), **options):
    result = [part.strip() for part in text.split(",") if part]
    for index, part in enumerate(result):
        if part in words and lower:
            result[index] = part.lower() + str(options.get("suffix", ${at}))
        elif os.path.exists(part):
            raise ValueError(f"{part} is a file: {index}")
    return result
`
    parts.push(part)
    lines += part.split('\n').length - 1
  }
  return parts.join('')
}

function start() {
  const child = spawn(process.execPath, [cli, 'serve'], { cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] })
  const connection = createMessageConnection(
    new StreamMessageReader(child.stdout),
    new StreamMessageWriter(child.stdin),
  )
  connection.listen()
  const ended = new Promise((resolve) => child.once('close', resolve))
  return {
    connection,
    end() {
      child.stdin.end()
      return ended
    },
  }
}

async function timed(work) {
  const started = performance.now()
  await work()
  return performance.now() - started
}

/** Milliseconds of ast.parse, in a Python that is warm. */
function startPython() {
  const script = `
import ast, sys, time
for line in sys.stdin:
    source = open(line.strip()).read()
    started = time.perf_counter()
    ast.parse(source)
    print((time.perf_counter() - started) * 1000, flush=True)
`
  const child = spawn('python3', ['-c', script], { stdio: ['pipe', 'pipe', 'inherit'] })
  return {
    parse: (file) =>
      new Promise((resolve) => {
        child.stdout.once('data', (said) => resolve(Number(said)))
        child.stdin.write(`${file}\n`)
      }),
    end: () => child.stdin.end(),
  }
}

try {
  writeFileSync(join(folder, 'pyproject.toml'), '')
  const server = start()
  const python = startPython()
  const parsed = { server: [], python: [] }
  for (let round = -2; round < Number(flags.rounds); round++) {
    const file = join(folder, `module_${round + 2}.py`)
    const source = text(round + 2)
    writeFileSync(file, source)
    const own = await timed(() =>
      server.connection.sendRequest('parse_file', { filePath: file, text: source }),
    )
    const bare = await python.parse(file)
    // The first ones warm up.
    if (round >= 0) {
      parsed.server.push(own)
      parsed.python.push(bare)
    }
  }
  python.end()
  await server.end()
  const ratio = median(parsed.server) / median(parsed.python)
  console.log(
    `parse_file of ${flags.lines} lines: ${median(parsed.server).toFixed(0)} ms beside ${median(parsed.python).toFixed(0)} ms of ast.parse: ${ratio.toFixed(2)} times`,
  )
  const starts = { server: [], node: [] }
  for (let round = -1; round < Number(flags.rounds); round++) {
    let started
    const own = await timed(async () => {
      started = start()
      await started.connection.sendRequest('initialize', {})
    })
    await started.end()
    const bare = await timed(() => spawnSync(process.execPath, ['-e', '0']))
    if (round >= 0) {
      starts.server.push(own)
      starts.node.push(bare)
    }
  }
  console.log(
    `start to the first answer: ${median(starts.server).toFixed(0)} ms beside ${median(starts.node).toFixed(0)} ms of node -e 0: ${(median(starts.server) / median(starts.node)).toFixed(2)} times`,
  )
} finally {
  rmSync(folder, { recursive: true, force: true })
}

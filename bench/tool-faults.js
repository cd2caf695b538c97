// Faults of the sample's tool scripts through the whole loop, one at a time: is the tool named, is it repaired, and is what was accepted right?
// With --git the fault is a commit after a good one; without, there is no history. docs/benchmarks.md keeps the figures.
// The benchmark is cut to the functions of one module, so that a run takes seconds. node bench/tool-faults.js [--git] [--every 1] [--tag stock]
import { spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import pLimit from 'p-limit'
import { parse, stringify } from 'yaml'
import { runAsync } from './run-async.js'

const { values: flags } = parseArgs({
  options: {
    git: { type: 'boolean', default: false },
    every: { type: 'string', default: '1' },
    tag: { type: 'string', default: 'stock' },
  },
})
const root = fileURLToPath(new URL('..', import.meta.url))
const cli = join(root, 'dist/cli/main.js')
const faults = parse(readFileSync(join(root, 'tests/domains/tests/repair/tool-faults.yaml'), 'utf8'))
const limit = pLimit(Math.max(1, availableParallelism() - 1))
const results = await Promise.all(
  faults.filter((_, at) => at % Number(flags.every) === 0).map((each) => limit(() => measure(each))),
)
const count = (key) => results.filter((each) => each[key]).length
console.log(
  `${flags.git ? 'with' : 'without'} git: ${results.length} faults, ${count('isNamed')} named, ${count('isRepaired')} repaired (${count('isRestored')} to the same bytes), ${count('isWrong')} wrongly accepted`,
)

async function measure({ name, script, search, replace }) {
  const folder = mkdtempSync(join(tmpdir(), 'autotest-fault-'))
  try {
    for (const part of ['examples/python', 'benchmarks/python', 'agents'])
      cpSync(join(root, part), join(folder, part), { recursive: true })
    const list = join(folder, 'benchmarks/python/shop.yaml')
    const { cases } = parse(readFileSync(list, 'utf8'))
    writeFileSync(list, stringify({ cases: cases.filter(({ tags }) => tags.includes(flags.tag)) }))
    const git = (...args) =>
      spawnSync('git', ['-c', 'user.name=b', '-c', 'user.email=b@example.com', ...args], { cwd: folder })
    if (flags.git) {
      git('init', '-q')
      git('add', '-A')
      git('commit', '-qm', 'A project')
    }
    const path = join(folder, 'agents/test/tools', script)
    const good = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      good.replace(search, () => replace),
    )
    if (flags.git) git('commit', '-qam', 'Simplify a tool')
    const run = (...args) =>
      runAsync(process.execPath, [cli, '--benchmark', 'benchmarks/python', ...args], { cwd: folder })
    const repair = await run(flags.git ? '--yes' : '--no-commit')
    const after = readFileSync(path, 'utf8')
    const isChanged = after !== good.replace(search, () => replace)
    // All functions and all probes, also those that the repair was not asked for.
    const check = isChanged ? await run('--no-repair') : { status: 1 }
    const isNamed = repair.output.includes(`tool ${script.replace('.pym', '').split('/').at(-1)}`)
    const result = {
      isNamed,
      isRepaired: isChanged && check.status === 0,
      isRestored: after === good,
      isWrong: isChanged && check.status !== 0,
    }
    console.log(
      `${result.isRestored ? 'restored' : result.isRepaired ? 'repaired' : result.isWrong ? 'WRONG' : 'open'}${isNamed ? '' : ', not named'}: ${name} (${script}), exit ${repair.status}`,
    )
    return result
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

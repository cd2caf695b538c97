import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { builtModulePath } from '../../src/platform/built-module.js'
import { call, end, i32, moduleOf, num, randomBody, randomFrom } from './wasm-modules.js'

// Large functions of the SQL library are split when it is built: what they answer must stay what it was.
interface Limits {
  least: number
  over: number
  smallest: number
  largest: number
  mostResults: number
  widest: number
  rounds: number
}
interface Found {
  imports: number
  types: { params: number[]; results: number[] }[]
  functionTypes: number[]
  bodies: { start: number; end: number }[]
}
let splitWasm: (module: Buffer, limits?: Limits) => Buffer
let readModule: (module: Buffer) => Found
beforeAll(async () => {
  const scripts = new URL('../../scripts/', import.meta.url)
  ;({ splitWasm } = await import(new URL('split-wasm.js', scripts).href))
  ;({ readModule } = await import(new URL('wasm/module.js', scripts).href))
})

/** Node's types leave WebAssembly to those of browsers. */
const engine = (
  globalThis as unknown as {
    WebAssembly: {
      instantiate: (bytes: Buffer) => Promise<{ instance: { exports: Record<string, unknown> } }>
    }
  }
).WebAssembly

const small: Limits = { least: 0, over: 20, smallest: 4, largest: 40, mostResults: 2, widest: 3, rounds: 8 }

/** What a module's function gives for some numbers, its trace (a global), or that it traps. */
async function answers(module: Buffer, inputs: readonly number[]): Promise<unknown[]> {
  const { instance } = await engine.instantiate(module)
  const run = instance.exports['run'] as (first: number, second: number) => number
  const trace = instance.exports['trace'] as { value: number }
  const fuel = instance.exports['fuel'] as { value: number }
  return inputs.map((input) => {
    fuel.value = 200
    try {
      return [run(input, 7), trace.value]
    } catch (error) {
      return [String(error), trace.value]
    }
  })
}

describe('a module whose large functions are split', () => {
  it('makes a function of each arm of a dispatch, which then only calls', async () => {
    const arms = 40
    const body = [0x02, i32, ...new Array<number[]>(arms).fill([0x02, 0x40]).flat()]
    body.push(0x20, 0, 0x0e, ...num(arms - 1), ...Array.from({ length: arms }, (_, arm) => arm))
    for (let arm = 0; arm < arms; arm++) {
      const left = arms - 1 - arm
      // local 1 = trace(local 0 + arm) + arm; the value of the arm is local 1 * 3.
      body.push(end, 0x20, 0, 0x41, arm, 0x6a, ...call(0), 0x41, arm, 0x6a, 0x21, 1)
      body.push(0x20, 1, 0x41, 3, 0x6c, ...(left === 0 ? [] : [0x0c, left]))
    }
    body.push(end, 0x20, 1, 0x6a, end)
    const module = moduleOf(body, 0)
    const split = splitWasm(module, { ...small, over: 100, smallest: 10 })
    const inputs = Array.from({ length: arms + 3 }, (_, input) => input)
    expect(await answers(split, inputs)).toEqual(await answers(module, inputs))
    const sizes = (of: Buffer): number[] => readModule(of).bodies.map(({ start, end: to }) => to - start)
    expect(sizes(split).length).toBeGreaterThan(sizes(module).length + arms)
    expect(sizes(split)[1]).toBeLessThan(30)
  })

  it('answers as before, whatever its blocks, loops, branches and locals', async () => {
    let added = 0
    for (let seed = 1; seed <= 200; seed++) {
      const random = randomFrom(seed)
      const module = moduleOf(randomBody(random), 4)
      const limits = { ...small, over: 10 + random(40), largest: 12 + random(80), mostResults: 1 + random(4) }
      const split = splitWasm(module, limits)
      expect(await answers(split, [0, 1, 2, 3, 5, 9]), `seed ${seed}`).toEqual(
        await answers(module, [0, 1, 2, 3, 5, 9]),
      )
      added += readModule(split).bodies.length - readModule(module).bodies.length
    }
    expect(added).toBeGreaterThan(1000)
  })

  it.each(['parser', 'translator'])('has no function left that is costly to compile: the %s', (folder) => {
    const { imports, types, functionTypes, bodies } = readModule(
      readFileSync(builtModulePath(`${folder}/polyglot_sql.wasm`)),
    )
    expect(Math.max(...bodies.map(({ start, end: to }) => to - start))).toBeLessThan(64 * 1024)
    // More than two are given on the stack, where V8 11.3 and 12.4 went wrong with dozens of them.
    const results = functionTypes.slice(imports).map((type) => types[type]?.results.length ?? 0)
    expect(Math.max(...results)).toBeLessThanOrEqual(2)
  })
})

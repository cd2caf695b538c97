import { readFileSync } from 'node:fs'
import type fs from 'node:fs/promises'
import { createRequire, syncBuiltinESMExports } from 'node:module'
import { join } from 'node:path'
import * as z from 'zod'

/** One call to the file system, as `node:fs/promises` gets it. `file` is the path of a handle for its methods. */
export interface Call {
  readonly name: string
  readonly path: string
  /** Second path of a rename. */
  readonly to: string | undefined
  readonly bytes: Uint8Array | undefined
}

type Hook = (call: Call) => void

/** Shared with bench/repair/killed-child.js, which kills itself at each of them. */
const { functions, methods } = z
  .strictObject({ functions: z.array(z.string()), methods: z.array(z.string()) })
  .parse(JSON.parse(readFileSync(join(import.meta.dirname, 'traced-calls.json'), 'utf8')))

/** Calls `before` ahead of every call to the file system (it may throw in its place), `after` behind those that worked. */
export async function tracingFileSystem<T>(
  hooks: { before?: Hook; after?: Hook },
  work: () => Promise<T>,
): Promise<T> {
  const promises: typeof fs = createRequire(import.meta.url)('node:fs/promises')
  const target: Record<string, unknown> = promises as never
  const originals = new Map(functions.map((name) => [name, target[name]]))
  for (const [name, original] of originals) {
    target[name] = traced(
      name,
      original,
      hooks,
      (args) => String(args[0]),
      (result, path) => {
        if (name === 'open') traceHandle(result, path, hooks)
      },
    )
  }
  syncBuiltinESMExports()
  try {
    return await work()
  } finally {
    for (const [name, original] of originals) target[name] = original
    syncBuiltinESMExports()
  }
}

function traceHandle(result: unknown, path: string, hooks: { before?: Hook; after?: Hook }): void {
  if (typeof result !== 'object' || result === null) return
  for (const name of methods) {
    const original: unknown = Reflect.get(result, name)
    const bound = typeof original === 'function' ? original.bind(result) : original
    Reflect.set(
      result,
      name,
      traced(`handle.${name}`, bound, hooks, () => path),
    )
  }
}

function traced(
  name: string,
  original: unknown,
  { before, after }: { before?: Hook; after?: Hook },
  pathOf: (args: readonly unknown[]) => string,
  use: (result: unknown, path: string) => void = () => undefined,
): (...args: readonly unknown[]) => Promise<unknown> {
  return async (...args) => {
    const path = pathOf(args)
    const data = name === 'handle.writeFile' ? args[0] : undefined
    const call: Call = {
      name,
      path,
      to: name === 'rename' ? String(args[1]) : undefined,
      bytes:
        data instanceof Uint8Array
          ? Uint8Array.from(data)
          : typeof data === 'string'
            ? new TextEncoder().encode(data)
            : undefined,
    }
    // A close that fails has closed the file all the same.
    const closed =
      name === 'handle.close' ? await Reflect.apply(original as never, undefined, args) : undefined
    before?.(call)
    const result: unknown = closed ?? (await Reflect.apply(original as never, undefined, args))
    use(result, path)
    after?.(call)
    return result
  }
}

import type { CopyComparer, CopyComparerOptions } from './compare-on-copies.js'

/**
 * Creates a comparer whose code is loaded with the first pair, so that the first question to an agent does
 * not wait for it.
 */
export function createLazyCopyComparer(options: CopyComparerOptions): CopyComparer {
  let comparer: Promise<CopyComparer> | undefined
  const load = (): Promise<CopyComparer> => {
    comparer ??= import('./compare-on-copies.js').then(({ createCopyComparer }) =>
      createCopyComparer(options),
    )
    return comparer
  }
  return {
    prepare(engine) {
      void load().then((loaded) => loaded.prepare(engine))
    },
    compare: async (engine, pair) => (await load()).compare(engine, pair),
  }
}

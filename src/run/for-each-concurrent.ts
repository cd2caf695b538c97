/**
 * Runs `work` over items, at most `concurrency` at once. Stops starting new items once the signal aborts;
 * work in progress is awaited. A thrown error stops it too: that of the first item that throws one, in the order of the
 * items and not of time, since every item before it was started and is awaited.
 */
export async function forEachConcurrent<Item>(
  items: readonly Item[],
  concurrency: number,
  signal: AbortSignal | undefined,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  const errors = new Map<number, unknown>()
  async function worker(): Promise<void> {
    while (next < items.length && errors.size === 0 && signal?.aborted !== true) {
      const index = next++
      const item = items[index] as Item
      try {
        await work(item, index)
      } catch (error) {
        errors.set(index, error)
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(concurrency, items.length) }, worker))
  if (errors.size > 0) throw errors.get(Math.min(...errors.keys()))
}

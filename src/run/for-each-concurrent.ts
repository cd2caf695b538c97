/**
 * Runs `work` over items, at most `concurrency` at once. Stops starting new items once the signal aborts;
 * work in progress is awaited. A thrown error stops it too.
 */
export async function forEachConcurrent<Item>(
  items: readonly Item[],
  concurrency: number,
  signal: AbortSignal | undefined,
  work: (item: Item, index: number) => Promise<void>,
): Promise<void> {
  let next = 0
  let failed = false
  async function worker(): Promise<void> {
    while (next < items.length && !failed && signal?.aborted !== true) {
      const index = next++
      const item = items[index] as Item
      try {
        await work(item, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  const workers = Array.from({ length: Math.min(concurrency, items.length) }, worker)
  const settled = await Promise.allSettled(workers)
  for (const result of settled) if (result.status === 'rejected') throw result.reason
}

/**
 * Does work with what owns processes, which are closed afterwards, and immediately if the signal aborts. The result is
 * available while they still end.
 */
export async function withClosing<Parts extends { close(): Promise<void> }, Result>(
  open: () => Promise<Parts>,
  signal: AbortSignal,
  work: (parts: Parts) => Promise<Result>,
): Promise<{ readonly result: Result; readonly closed: Promise<void> }> {
  const parts = await open()
  const close = (): void => void parts.close()
  signal.addEventListener('abort', close)
  try {
    const result = await work(parts)
    return { result, closed: parts.close() }
  } catch (error) {
    await parts.close()
    throw error
  } finally {
    signal.removeEventListener('abort', close)
  }
}

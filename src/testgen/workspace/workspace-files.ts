import { z } from 'zod'
import type { PythonWorker } from '../python/worker.js'

const timeoutMs = 20_000
const text = z.object({ text: z.string().nullable() })

/**
 * Returns the text of a file of a workspace; undefined if there is none. The sandbox reads it: where the project's code
 * has put a link, this program would read what only its user may.
 */
export async function readWorkspaceFile(worker: PythonWorker, path: string): Promise<string | undefined> {
  return (await worker.call('read_text', { path }, text, timeoutMs)).text ?? undefined
}

/** Writes a file of a workspace, within the sandbox; undefined removes it. */
export async function writeWorkspaceFile(
  worker: PythonWorker,
  path: string,
  written: string | undefined,
): Promise<void> {
  await worker.call('write_text', { path, text: written ?? null }, z.null(), timeoutMs)
}

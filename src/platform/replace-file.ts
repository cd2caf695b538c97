import { rename, writeFile } from 'node:fs/promises'

/** Writes a new file and renames it: a reader never sees half of it. What was a link is a file then. */
export async function replaceFile(path: string, text: string, mode?: number): Promise<void> {
  const temporary = `${path}.${process.pid}.tmp`
  await writeFile(temporary, text, mode === undefined ? {} : { mode })
  await rename(temporary, path)
}

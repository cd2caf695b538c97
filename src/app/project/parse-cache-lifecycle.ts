import { useParseCache } from '../../sql/index.js'
import { openParseCache, type ParseCacheFile } from './parse-cache-file.js'

let opened: ParseCacheFile | undefined

/** Makes parsing use the project's cache until `closeProjectCache`. */
export async function openProjectParseCache(root: string): Promise<void> {
  closeProjectParseCache()
  opened = await openParseCache(root, { env: process.env })
  useParseCache(opened)
}

/** Does work with the project's cache in use. */
export async function withProjectParseCache<Result>(
  root: string,
  work: () => Promise<Result>,
): Promise<Result> {
  await openProjectParseCache(root)
  try {
    return await work()
  } finally {
    closeProjectParseCache()
  }
}

export function closeProjectParseCache(): void {
  useParseCache(undefined)
  opened?.close()
  opened = undefined
}

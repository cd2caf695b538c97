import { accessSync, constants } from 'node:fs'

/** Reports whether this user may execute the file; false if it does not exist or cannot be reached. */
export function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch (error) {
    if (error instanceof Error) return false
    throw error
  }
}

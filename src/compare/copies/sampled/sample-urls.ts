/** Below the project's `.autotest/`. */
export const samplesFolder = 'samples'

const prefix = `sqlite:.autotest/${samplesFolder}/`

/** Returns the URL of the database of a sample. */
export function sampleUrl(key: string): string {
  return `${prefix}${key}.db`
}

/** Returns the script, relative to the root, that builds the database of a sample; undefined for other engines. */
export function sampleScriptOf(url: string): string | undefined {
  return url.startsWith(prefix) ? url.slice('sqlite:'.length).replace(/\.db$/u, '.sql') : undefined
}

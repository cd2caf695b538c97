import { lstat, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { AutotestError, messageOf } from '../../errors.js'
import { readRegularFile } from '../../platform/read-regular-file.js'
import { replaceFile } from '../../platform/replace-file.js'
import { validate } from '../../snapshot/validate-schema.js'
import { parseYaml } from '../../snapshot/yaml.js'

export const registryFile = 'autotest.registry.json'
/** Where other programs keep it; it is read where there is no other. */
const otherFile = '.rora/registry.json'

const mapping = z.object({
  testFile: z.string().min(1),
  testNames: z.array(z.string().min(1)),
  generatedAt: z.string().optional(),
  /** Hash of the function without its name, by which a renamed one is found. */
  content: z.string().optional(),
})
/** Which tests belong to which function, as `src/shop/calc.py::add`. */
export type TestMapping = z.output<typeof mapping>
export type Registry = ReadonlyMap<string, TestMapping>

const schema = z.object({
  version: z.literal(1),
  mappings: z.record(z.string().regex(/^[^:]+\.py::\S+$/, 'must be FILE::FUNCTION'), mapping),
})

/** Reads the registry of a project; an empty one where there is none. Throws `config_invalid` with file and line. */
export async function readRegistry(root: string): Promise<Registry> {
  for (const file of [registryFile, otherFile]) {
    const bytes = await readRegularFile(join(root, file)).catch((error: unknown) => {
      if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined
      throw new AutotestError('config_invalid', `${file} cannot be read: ${messageOf(error)}`, {
        cause: error,
      })
    })
    if (bytes === undefined) continue
    if (/^(<<<<<<<|=======|>>>>>>>) ?/m.test(bytes.toString()))
      throw new AutotestError('config_invalid', `${file} has marks of a merge that was not finished`, {
        hint: 'autotest registry sync writes it again from the tests that exist.',
      })
    // JSON is YAML, whose parser tells the place of an error.
    const yaml = parseYaml(bytes, file, { code: 'config_invalid' })
    return new Map(Object.entries(validate(schema, yaml, 'config_invalid').mappings))
  }
  return new Map()
}

/** Writes the registry, sorted, so that two branches that add functions merge; nothing is written where nothing changed. Returns whether it was. */
export async function writeRegistry(root: string, registry: Registry): Promise<boolean> {
  const mappings = Object.fromEntries(
    [...registry]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { testFile, testNames, generatedAt, content }]) => [
        name,
        {
          testFile,
          testNames: [...testNames].sort(),
          ...(generatedAt === undefined ? {} : { generatedAt }),
          ...(content === undefined ? {} : { content }),
        },
      ]),
  )
  const text = `${JSON.stringify({ version: 1, mappings }, null, 2)}\n`
  const path = join(root, registryFile)
  const before = await readFile(path, 'utf8').catch(() => undefined)
  if (before === text || (before === undefined && registry.size === 0)) return false
  if ((await lstat(path).catch(() => undefined))?.isSymbolicLink() === true)
    throw new AutotestError('path_refused', `${registryFile} is a symbolic link`, {
      hint: 'Replace it by a file.',
    })
  await replaceFile(path, text)
  return true
}

import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { checkFile, open, snapshotOf } from '../../contracts/entry-format.contract.js'
import { needing } from '../../needs.js'

const folder = join(import.meta.dirname, '../../../../shared/kb-formats/real')
const needsFiles = needing('real knowledge files', existsSync(folder) ? undefined : 'they are not here')

const files = existsSync(folder)
  ? readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && entry.name !== 'SOURCES.md')
      .map((entry) => join(entry.parentPath, entry.name))
      .sort()
  : []

describe('knowledge files of others', needsFiles, () => {
  it.each(files)('%s is read, or what is not read is named; edits are restored byte for byte', (file) => {
    const path = basename(file)
    const snapshot = snapshotOf({ [path]: readFileSync(file) })
    const { taken, left, skipped } = open(snapshot)
    expect(taken.length + left.length).toBe(1)
    for (const each of skipped) expect(each.line).toBeGreaterThan(0)
    const figures = checkFile(snapshot, path, 15)
    if (process.env['AUTOTEST_FIGURES'] !== undefined)
      console.log(
        JSON.stringify({
          file: file.slice(folder.length),
          format: taken[0]?.format,
          left,
          regions: skipped,
          ...figures,
        }),
      )
    if (taken.length > 0) expect(figures.entries + figures.skipped).toBeGreaterThan(0)
  })
})

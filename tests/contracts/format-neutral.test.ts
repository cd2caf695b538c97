import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

/** Marks of the native format: endings and folders of its files, its parser, its kinds of edits. */
const marks =
  /\.(?:ya?ml|sql|md)['"`$]|\b(?:snippets|metrics|notes)\/|parseDocument|YamlEdit|(?:edit|create)_(?:metric|snippet|note)\b/u

const folders = ['src/repair', 'src/domains']

it.each(folders)('nothing in %s knows the files of a format of knowledge', (folder) => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith('.ts'),
  )
  expect(files.length).toBeGreaterThan(10)
  const found = files.flatMap((file) =>
    readFileSync(join(folder, file), 'utf8')
      .split('\n')
      .flatMap((line, at) => (marks.test(line) ? [`${file}:${at + 1}: ${line.trim()}`] : [])),
  )
  expect(found).toEqual([])
})

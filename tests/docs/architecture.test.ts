import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, it } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const page = readFileSync(resolve(root, 'docs/architecture.md'), 'utf8')

it('names only files and folders that exist', () => {
  const named = [...page.matchAll(/`((?:src|tests)\/[\w./-]+|[a-z-]+\/[\w./-]+\.ts)`/g)].map(
    ([, path = '']) => path,
  )
  expect(named.length).toBeGreaterThan(40)
  const missing = named.filter(
    (path) =>
      ![path, `src/${path}`, `src/domains/sql/repair/${path}`].some((each) =>
        existsSync(resolve(root, each)),
      ),
  )
  expect(missing).toEqual([])
})

it('draws every room of src', () => {
  const rooms = readdirSync(resolve(root, 'src'), { withFileTypes: true }).filter((entry) =>
    entry.isDirectory(),
  )
  const drawing = page.slice(page.indexOf('```'), page.indexOf('## Journeys'))
  expect(rooms.map(({ name }) => name).filter((name) => !drawing.includes(name))).toEqual([])
})

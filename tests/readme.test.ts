import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { auditFlags, runFlags } from '../src/cli/flags.js'
import { revertFlags } from '../src/cli/store-flags.js'

const root = resolve(import.meta.dirname, '..')
const readme = readFileSync(resolve(root, 'README.md'), 'utf8')

function block(name: string): string {
  const found = new RegExp(`<!-- ${name} -->\n\`\`\`\\w+\n([\\s\\S]*?)\n\`\`\`\n<!-- /${name} -->`).exec(
    readme,
  )?.[1]
  if (found === undefined) throw new Error(`README has no block ${name}`)
  return found
}

describe('README', () => {
  it('shows the example agents as the tests of agents run them', () => {
    for (const name of ['module', 'command']) {
      const file = readFileSync(resolve(root, `agents/examples/${name}-agent.mjs`), 'utf8')
      expect(block(name)).toBe(file.trimEnd())
    }
  })

  it('names no flag that does not exist', () => {
    const flags = readme.match(/(?<=autotest[^\n`]*\s)--[a-z-]+/g) ?? []
    expect(flags.length).toBeGreaterThan(5)
    expect(
      flags.filter((flag) => !(flag.slice(2) in { ...runFlags, ...revertFlags, ...auditFlags })),
    ).toEqual([])
  })

  it('links to files that exist', () => {
    const links = [...readme.matchAll(/\]\(([^)#]+)\)/g)].map((match) => match[1] ?? '')
    expect(links.length).toBeGreaterThan(3)
    for (const link of links) expect(() => readFileSync(resolve(root, link))).not.toThrow(/ENOENT/)
  })
})

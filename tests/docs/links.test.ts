import { existsSync, readdirSync, statSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { describe, expect, it } from 'vitest'
import { pageText } from './page.js'

const root = resolve(import.meta.dirname, '../..')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`),
]

const withoutCode = (text: string): string =>
  text.replaceAll(/^ *(`{3,}).*\n[\s\S]*?^ *\1$/gm, '').replaceAll(/`[^`\n]*`/g, '')

/** Targets of links and images, without those to other sites. */
function relativeLinks(text: string): string[] {
  const links = [...withoutCode(text).matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = '']) => target)
  return links.filter((target) => !/^[a-z]+:/i.test(target))
}

/** Anchors as GitHub makes them of headings: lower case, punctuation dropped, a number behind one that is there already. */
function anchorsOf(text: string): Set<string> {
  const headings = text.replaceAll(/^ *(`{3,}).*\n[\s\S]*?^ *\1$/gm, '').matchAll(/^#{1,6} (.+)$/gm)
  const anchors = new Set<string>()
  for (const [, heading = ''] of headings) {
    const words = heading.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    const anchor = words
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replaceAll(' ', '-')
    let free = anchor
    for (let again = 1; anchors.has(free); again++) free = `${anchor}-${again}`
    anchors.add(free)
  }
  return anchors
}

/** What is wrong with a link of a page; undefined where it leads somewhere. */
function linkProblem(page: string, target: string): string | undefined {
  const [path = '', anchor] = target.split('#')
  const file = path === '' ? page : join(dirname(page), path)
  if (!existsSync(join(root, file))) return `${target}: no such file`
  if (anchor === undefined) return undefined
  if (statSync(join(root, file)).isDirectory()) return `${target}: a folder has no headings`
  return anchorsOf(pageText(file)).has(anchor) ? undefined : `${target}: no such heading`
}

describe('relative links', () => {
  it.each(pages)('of %s lead to files and headings that exist', (page) => {
    const problems = relativeLinks(pageText(page)).map((target) => linkProblem(page, target))
    expect(problems.filter((problem) => problem !== undefined)).toEqual([])
  })

  it('are found', () => {
    expect(relativeLinks(pageText('README.md')).length).toBeGreaterThan(10)
  })
})

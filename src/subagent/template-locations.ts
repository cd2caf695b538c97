import { Template } from '@huggingface/jinja'
import { literalPattern } from '../text/literal-pattern.js'

/** The location of a template, for messages. */
export interface TemplateLocation {
  readonly file: string
  /** `node_context` */
  readonly key: string
  /** Line of its key in the file, from 1. */
  readonly line: number
  /** Whether its lines are those of the file, from the one after the key. */
  readonly isLiteral: boolean
}

/**
 * Returns `agents/sql.yaml:24: node_context`, at a line of the template if that is known, else at its key.
 */
export function formatLocation(
  { file, key, line, isLiteral }: TemplateLocation,
  lineWithin?: number,
): string {
  return `${file}:${isLiteral && lineWithin !== undefined ? line + lineWithin : line}: ${key}`
}

/** `{{ … }}`, `{% … %}` or `{# … #}`, and its offset. */
interface Tag {
  readonly at: number
  readonly text: string
  readonly isClosed: boolean
}

const closing: Readonly<Record<string, string>> = { '{{': '}}', '{%': '%}', '{#': '#}' }

/** Returns the line, from 1, of the first tag that uses a variable; undefined if none does. */
export function findVariableLine(text: string, name: string): number | undefined {
  return lineOf(text, (tag) => new RegExp(`(?<![\\w.])${literalPattern(name)}\\b`).test(unquoted(tag.text)))
}

/** Like `findVariableLine`, for an attribute: `entry.txt`, `entry["txt"]`, or `| filter`. */
export function findAttributeLine(text: string, name: string): number | undefined {
  const asked = new RegExp(`[.|]\\s*${literalPattern(name)}\\b|\\[\\s*(["'])${literalPattern(name)}\\1`)
  return lineOf(text, (tag) => asked.test(tag.text))
}

/** Returns the line, from 1, of a template's syntax error: the library does not report it. */
export function findSyntaxErrorLine(text: string): number | undefined {
  const open: { readonly name: string; readonly at: number }[] = []
  for (const tag of tagsIn(text)) {
    const name = /^\{%-?\s*(\w+)/.exec(tag.text)?.[1] ?? ''
    if (!tag.isClosed || !canBeRead(tag.text, name)) return lineAt(text, tag.at)
    if (name.startsWith('end')) {
      if (open.pop()?.name !== name.slice('end'.length)) return lineAt(text, tag.at)
    } else if (isBlock(name, tag.text)) open.push({ name, at: tag.at })
  }
  const last = open.at(-1)
  return last === undefined ? undefined : lineAt(text, last.at)
}

function lineOf(text: string, isMeant: (tag: Tag) => boolean): number | undefined {
  const found = tagsIn(text).find((tag) => !tag.text.startsWith('{#') && isMeant(tag))
  return found === undefined ? undefined : lineAt(text, found.at)
}

const blocks: ReadonlySet<string> = new Set(['for', 'if', 'macro', 'call', 'filter', 'generation'])

function isBlock(name: string, tag: string): boolean {
  return blocks.has(name) || (name === 'set' && !tag.includes('='))
}

/** Parts of a statement of several tags, which are incomplete alone. */
const parts: ReadonlySet<string> = new Set(['else', 'break', 'continue'])

function canBeRead(tag: string, name: string): boolean {
  if (tag.startsWith('{#') || parts.has(name) || name.startsWith('end')) return true
  try {
    new Template(name === 'elif' ? `{% if true %}${tag}{% endif %}` : `${tag}${endOf(name, tag)}`)
    return true
  } catch {
    // Any parse error of the library.
    return false
  }
}

function endOf(name: string, tag: string): string {
  return isBlock(name, tag) ? `{% end${name} %}` : ''
}

/** Returns the tags. One that is not closed ends where the next begins. */
function tagsIn(text: string): Tag[] {
  const tags: Tag[] = []
  for (let at = nextTag(text, 0); at >= 0; ) {
    const end = endOfTag(text, at)
    const isClosed = end !== undefined
    const next = nextTag(text, end ?? at + 2)
    tags.push({ at, text: text.slice(at, end ?? (next < 0 ? text.length : next)), isClosed })
    at = next
  }
  return tags
}

function nextTag(text: string, from: number): number {
  const found = text.slice(from).search(/\{[{%#]/)
  return found < 0 ? -1 : from + found
}

/**
 * Returns where the tag that begins at `at` ends; undefined if another one begins before, or the text ends.
 */
function endOfTag(text: string, at: number): number | undefined {
  const opening = text.slice(at, at + 2)
  const end = closing[opening] ?? ''
  if (opening === '{#') {
    const found = text.indexOf(end, at + 2)
    return found < 0 ? undefined : found + 2
  }
  const token = /"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'|\{[{%#]|\}\}|%\}/g
  token.lastIndex = at + 2
  for (let found = token.exec(text); found !== null; found = token.exec(text)) {
    if (found[0] === end) return token.lastIndex
    if (closing[found[0]] !== undefined) return undefined
  }
  return undefined
}

function unquoted(tag: string): string {
  return tag.replaceAll(/"(?:[^"\\]|\\[\s\S])*"|'(?:[^'\\]|\\[\s\S])*'/g, '""')
}

function lineAt(text: string, at: number): number {
  return text.slice(0, at).split('\n').length
}

import { codeSpans } from '../../../../../kb/claims/code-spans.js'
import { isNegated } from '../../../../../kb/claims/contradiction.js'
import { collectRemarks, type Remark } from '../../../../../kb/claims/documentation-remarks.js'
import { maskComments, maskStringsAndComments } from '../../../../../kb/claims/mask-sql.js'
import type { KnowledgeBase, Snippet } from '../../../../../kb/entry.js'
import { positionOf } from '../../../../../kb/snippet-check.js'
import { literalPattern } from '../../../../../text/literal-pattern.js'
import type { ChangedQuery } from '../../model/changed-queries.js'

/**
 * Reports columns, tables and string literals that a change removes from a query although a note or a comment
 * names them, and names that it adds although a note or comment excludes them: `billed_weight_g, not
 * weight_g`.
 */
export function checkDocumentedNames(
  { before: old, after: now }: ChangedQuery,
  after: KnowledgeBase,
  textOf: (path: string) => string,
): string[] {
  if (old === undefined || now === undefined) return []
  const [had, has] = [namesAndLiterals(old), namesAndLiterals(now)]
  const gone = had.filter((one) => !has.some((other) => other.name === one.name))
  const added = has.filter((one) => !had.some((other) => other.name === one.name))
  if (gone.length + added.length === 0) return []
  const remarks = collectRemarks(after, textOf).filter(
    ({ from, snippets }) => from !== 'title' && snippets.includes(now),
  )
  return remarks.flatMap((remark) => {
    const place = (): string => `${remark.path}:${positionOf(textOf(remark.path), remark.start).line}`
    const [against] = added.filter((one) => stanceOf(one, remark) === 'against')
    if (against !== undefined)
      return [
        `only one case supports adding ${against.text} to ${now.path}, although ${place()} contradicts it`,
      ]
    if (added.some((one) => stanceOf(one, remark) === 'for')) return []
    const [lost] = gone.filter((one) => stanceOf(one, remark) === 'for')
    return lost === undefined
      ? []
      : [`only one case supports removing ${lost.text} from ${now.path}, although ${place()} names it`]
  })
}

/** A name or a string literal in a query. */
interface NameOrLiteral {
  readonly kind: 'name' | 'text'
  /** Folded, without quotes and qualifiers. */
  readonly name: string
  readonly text: string
}

function namesAndLiterals({ text }: Snippet): NameOrLiteral[] {
  const names = maskStringsAndComments(text).match(/[a-z_]\w*/giu) ?? []
  const texts = [...maskComments(text).matchAll(/'((?:[^']|'')+)'/gu)]
  return [
    ...names.map((name): NameOrLiteral => ({ kind: 'name', name: name.toLowerCase(), text: name })),
    ...texts.map(([whole, inner = '']): NameOrLiteral => ({ kind: 'text', name: inner, text: whole })),
  ]
}

const after =
  /^[`"]?,?\s+(?:is|are|was|were|has|must|should|may|does)\b[^.;]*?\b(?:not|never|unreliable|deprecated|replaced|superseded|retired|obsolete|wrong|stale|broken)\b/iu

/**
 * Returns whether a remark recommends the name or excludes it; undefined if it does not mention it. A string
 * literal may be mentioned because it is excluded by the query: then it belongs there.
 */
function stanceOf({ kind, name }: NameOrLiteral, remark: Remark): 'for' | 'against' | undefined {
  const places = kind === 'text' ? findLiteral(name, remark) : findName(name, remark)
  const [place] = places
  if (place === undefined) return undefined
  if (kind === 'text') return 'for'
  const isAgainst = places.every(
    ({ start, end }) => isNegated(remark.text, start) || after.test(remark.text.slice(end)),
  )
  return isAgainst ? 'against' : 'for'
}

interface TextSpan {
  readonly start: number
  readonly end: number
}

/** Finds a name in backticks, or one that only an identifier looks like. */
function findName(name: string, { text }: Remark): TextSpan[] {
  const found = [...text.matchAll(new RegExp(`(?<!\\w)${literalPattern(name)}(?!\\w)`, 'giu'))]
  const spans = codeSpans(text)
  return found
    .map(({ index }) => ({ start: index, end: index + name.length }))
    .filter(
      ({ start, end }) =>
        name.includes('_') ||
        spans.some(({ code, offset }) => offset <= start && end <= offset + code.length),
    )
}

/** Finds a string literal in quotes, or alone in backticks. */
function findLiteral(value: string, { text }: Remark): TextSpan[] {
  const pattern = literalPattern(value)
  return [...text.matchAll(new RegExp(`'${pattern}'|"${pattern}"|\`${pattern}\``, 'gu'))].map(
    ({ index, 0: whole }) => ({ start: index, end: index + whole.length }),
  )
}

import { foldColumn } from './identifier-folding.js'
import { apply, type Expression, field, word } from './query-shape.js'
import type { Scope, Source } from './scope.js'

/** A column of a result and its name. */
export interface Output {
  readonly expression: Expression
  readonly name: string | undefined
}

/** The columns that a star excludes, replaces and renames, by name. */
interface StarChanges {
  readonly merged: readonly string[] | undefined
  readonly except: ReadonlySet<string>
  readonly replaced: ReadonlyMap<string, Expression>
  readonly renamed: ReadonlyMap<string, string>
}

/** `*` as the columns it stands for, as far as they are known, in their order; what USING merges comes first. */
export function expandStar(output: Output, scope: Scope): Output[] {
  const { expression } = output
  if (scope.opaque) return [output]
  const changed = changesOf(expression)
  const star = changed === undefined ? expression : changed.star
  if (star.kind !== 'column' || star.name !== '*') return [output]
  const visible = scope.sources.filter((source) => source.isHidden !== true)
  const wanted = star.source === undefined ? visible : visible.filter(({ id }) => id === star.source)
  if (wanted.length === 0) return [output]
  if (changed === undefined) return wanted.flatMap((source) => columnsOf(source) ?? [starOf(source, [])])
  const { merged = [], ...changes } = changed.changes
  const first = merged.flatMap((name): Output[] => {
    const column = scope.merged.get(name)
    return column === undefined || (column.kind === 'column' && column.source === undefined)
      ? []
      : [{ expression: column, name }]
  })
  const columns = wanted.map(columnsOf)
  const isKnown = columns.every((list) => list !== undefined)
  if (first.length < merged.length) return [output]
  const others = columns.flatMap((list, at): Output[] => {
    const source = wanted[at]
    if (list !== undefined || source === undefined)
      return (list ?? []).filter(({ name }) => name === undefined || !merged.includes(name))
    return [starOf(source, merged)]
  })
  const all = [...first, ...others]
  if (isKnown) return withStarChanges(all, changes)
  return changes.except.size + changes.replaced.size + changes.renamed.size > 0 ? [output] : all
}

/** All columns of a source whose columns are not known, except these. */
function starOf(source: Source, except: readonly string[]): Output {
  const star: Expression = { kind: 'column', source: source.id, name: '*' }
  return { expression: starWithout(star, except), name: undefined }
}

/** `* EXCEPT (a, b)`. */
export function starWithout(star: Expression, except: readonly string[]): Expression {
  return except.length === 0 ? star : apply('star', star, field('except', apply('list', ...except.map(word))))
}

/** A star and its changes, as far as all of them are understood. */
export function changesOf(
  expression: Expression,
): { readonly star: Expression; readonly changes: StarChanges } | undefined {
  if (expression.kind !== 'apply' || expression.op !== 'star') return undefined
  const [star, ...parts] = expression.args
  if (star === undefined) return undefined
  let merged: readonly string[] | undefined
  const except = new Set<string>()
  const replaced = new Map<string, Expression>()
  const renamed = new Map<string, string>()
  for (const part of parts) {
    const [first] = part.kind === 'apply' ? part.args : []
    const items = first?.kind === 'apply' && first.op === 'list' ? first.args : []
    if (part.kind !== 'apply') return undefined
    if (part.op === 'field:merged') merged = part.args.flatMap((name) => wordOf(name) ?? [])
    else if (part.op === 'field:except') for (const item of items) except.add(wordOf(item) ?? '')
    else if (part.op === 'field:rename') for (const item of items) noteRenamed(item, renamed)
    else if (part.op === 'field:replace') for (const item of items) noteReplaced(item, replaced)
    else return undefined
  }
  const isRead = !except.has('') && !renamed.has('') && !replaced.has('')
  return isRead ? { star, changes: { merged, except, replaced, renamed } } : undefined
}

function wordOf(value: Expression | undefined): string | undefined {
  return value?.kind === 'literal' && value.type === 'word' ? value.value : undefined
}

function noteRenamed(item: Expression, renamed: Map<string, string>): void {
  const [from, to] = item.kind === 'apply' && item.op === 'list' ? item.args.map(wordOf) : []
  renamed.set(from ?? '', to ?? '')
}

function noteReplaced(item: Expression, replaced: Map<string, Expression>): void {
  const parts = item.kind === 'apply' && item.op === 'record' ? item.args : []
  const named = (label: string): Expression | undefined => {
    const part = parts.find((candidate) => candidate.kind === 'apply' && candidate.op === `field:${label}`)
    return part?.kind === 'apply' ? part.args[0] : undefined
  }
  const [name, value] = [wordOf(named('alias')), named('this')]
  replaced.set(name !== undefined && value !== undefined && parts.length === 2 ? name : '', value ?? item)
}

/** The columns without those that are left out, others replaced or renamed. */
export function withStarChanges(
  columns: readonly Output[],
  { except, replaced, renamed }: Omit<StarChanges, 'merged'>,
): Output[] {
  return columns
    .filter(({ name }) => name === undefined || !except.has(name))
    .map(({ expression, name }) =>
      name === undefined
        ? { expression, name }
        : { expression: replaced.get(name) ?? expression, name: renamed.get(name) ?? name },
    )
}

/** All columns of a table in FROM; undefined where it may have others. */
export function columnsOf(source: Source): Output[] | undefined {
  if (source.known !== undefined) {
    return [...source.known].map((column) => {
      const name = foldColumn({ name: column, quoted: false }, 'ansi')
      return { expression: { kind: 'column', source: source.id, name, output: undefined }, name }
    })
  }
  if (source.width === undefined) return undefined
  const names = new Map([...source.columns].map(([name, position]) => [position, name]))
  return [...Array(source.width).keys()].map((position) => {
    const name = names.get(position)
    return {
      expression: {
        kind: 'column',
        source: source.id,
        name: name ?? `column ${position + 1}`,
        output: position,
      },
      name,
    }
  })
}

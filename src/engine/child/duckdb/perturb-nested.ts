import { DuckDBListValue, DuckDBMapValue, DuckDBStructValue, type DuckDBValue } from '@duckdb/node-api'
import type { Cell, FuzzColumn } from '../../fuzz/fuzz-table.js'
import { pick, type Random } from '../../fuzz/seeded-random.js'

type Perturb = FuzzColumn['near']

/**
 * Returns a function that perturbs lists, structs or maps: it changes one value in it as a column of its type
 * would be changed, or makes a list one item longer or shorter. Undefined for any other type. `nearOf`
 * returns how values of an inner type are perturbed.
 */
export function perturbNested(type: string, nearOf: (type: string) => Perturb): Perturb | undefined {
  if (type.endsWith('[]')) return perturbList(nearOf(type.slice(0, -2)))
  const struct = typeArguments(type, 'STRUCT')
  if (struct !== undefined) {
    const fields = splitTopLevel(struct).map((part) => {
      const [, quoted, plain, inner = ''] = /^(?:"((?:[^"]|"")*)"|(\S+))\s+(.*)$/su.exec(part) ?? []
      return { name: quoted?.replaceAll('""', '"') ?? plain ?? '', near: nearOf(inner) }
    })
    return perturbStruct(fields)
  }
  const map = typeArguments(type, 'MAP')
  return map === undefined ? undefined : perturbMap(nearOf(splitTopLevel(map)[1] ?? ''))
}

function perturbList(near: Perturb): Perturb {
  return (cell, random) => {
    if (!(cell instanceof DuckDBListValue)) return undefined
    const items = [...cell.items]
    const at = random.below(items.length + 1)
    const changed = at < items.length ? perturbItem(items[at], near, random) : undefined
    if (changed !== undefined && random.chance(0.5)) items[at] = changed
    else if (items.length > 0 && random.chance(0.5)) items.splice(random.below(items.length), 1)
    else if (items.length > 0) items.push(pick(items, random) ?? null)
    else return undefined
    return new DuckDBListValue(items)
  }
}

function perturbStruct(fields: readonly { readonly name: string; readonly near: Perturb }[]): Perturb {
  return (cell, random) => {
    if (!(cell instanceof DuckDBStructValue)) return undefined
    const field = pick(fields, random)
    const changed = field && perturbItem(cell.entries[field.name], field.near, random)
    return field === undefined || changed === undefined
      ? undefined
      : new DuckDBStructValue({ ...cell.entries, [field.name]: changed })
  }
}

/** Perturbs values of a map. Keys stay, as queries access values by them. */
function perturbMap(near: Perturb): Perturb {
  return (cell, random) => {
    if (!(cell instanceof DuckDBMapValue)) return undefined
    const at = random.below(Math.max(1, cell.entries.length))
    const changed = perturbItem(cell.entries[at]?.value, near, random)
    if (changed === undefined) return undefined
    return new DuckDBMapValue(
      cell.entries.map((entry, index) => (index === at ? { ...entry, value: changed } : entry)),
    )
  }
}

/** Perturbs an inner value, which is of the kinds that cells are; NULL stays. */
function perturbItem(item: DuckDBValue | undefined, near: Perturb, random: Random): DuckDBValue | undefined {
  const cell = (item ?? null) as Cell
  return cell === null ? undefined : (near(cell, random) as DuckDBValue | undefined)
}

function typeArguments(type: string, kind: string): string | undefined {
  return type.startsWith(`${kind}(`) && type.endsWith(')') ? type.slice(kind.length + 1, -1) : undefined
}

/** Splits a text at commas outside parentheses and quotes. */
function splitTopLevel(text: string): string[] {
  const parts: string[] = []
  let depth = 0
  let part = ''
  for (const [token] of text.matchAll(/"(?:[^"]|"")*"|'(?:[^']|'')*'|[^"']/gu)) {
    if (token === '(') depth++
    if (token === ')') depth--
    if (token === ',' && depth === 0) {
      parts.push(part.trim())
      part = ''
    } else part += token
  }
  return [...parts, part.trim()]
}

import type { QueryOutcome, ResultSet, Value } from '../contract/engine.js'

/** Cells of a column in a form that takes little time to send: values by themselves take several times that of reading them. */
type PackedColumn =
  | { readonly kind: 'numbers'; readonly numbers: Float64Array; readonly nulls: Uint8Array | undefined }
  /** Texts one after the other; `as` says what each of them is of. */
  | {
      readonly kind: 'texts'
      readonly texts: string
      readonly nulls: Uint8Array | undefined
      readonly as: TextForm
    }
  | { readonly kind: 'values'; readonly values: readonly Value[] }

/** What a text is of: by itself, or as the text of a value. */
type TextForm = 'string' | 'decimal' | 'date' | 'timestamp' | { readonly other: string }

type Rows = Extract<QueryOutcome, { readonly kind: 'rows' }>

/** An outcome as it is sent between processes. */
export type SentOutcome =
  | QueryOutcome
  | (Omit<Rows, 'kind' | 'result'> & {
      readonly kind: 'packed'
      readonly result: Omit<ResultSet, 'rows'>
      readonly rows: number
      readonly packed: readonly PackedColumn[]
    })

/** Fewer cells are sent as they are. */
const fewCells = 20_000
/** Between texts; one that contains it is sent by itself. */
const separator = '\0'

export function packOutcome(outcome: QueryOutcome): SentOutcome {
  if (outcome.kind !== 'rows') return outcome
  const { rows, ...result } = outcome.result
  if (rows.length * result.columns.length < fewCells) return outcome
  return {
    ...outcome,
    kind: 'packed',
    result,
    rows: rows.length,
    packed: result.columns.map((_, at) => packColumn(rows, at)),
  }
}

export function unpackOutcome(sent: SentOutcome): QueryOutcome {
  if (sent.kind !== 'packed') return sent
  const { packed, rows, result, ...outcome } = sent
  const columns = packed.map((column) => unpackColumn(column, rows))
  const whole = Array.from({ length: rows }, (_, row) => columns.map((column) => column[row] ?? null))
  return { ...outcome, kind: 'rows', result: { ...result, rows: whole } }
}

function packColumn(rows: ResultSet['rows'], at: number): PackedColumn {
  const nulls = new Uint8Array(rows.length)
  let hasNulls = false
  let form: TextForm | 'number' | undefined
  for (const [row, cells] of rows.entries()) {
    const cell = cells[at] ?? null
    if (cell === null) {
      nulls[row] = 1
      hasNulls = true
      continue
    }
    const own = formOf(cell)
    if (own === undefined || (form !== undefined && !isSameForm(form, own)))
      return { kind: 'values', values: rows.map((each) => each[at] ?? null) }
    form = own
  }
  const known = hasNulls ? nulls : undefined
  if (form === 'number' || form === undefined) {
    const numbers = Float64Array.from(rows, (cells) => (cells[at] === null ? 0 : Number(cells[at])))
    return { kind: 'numbers', numbers, nulls: known }
  }
  return {
    kind: 'texts',
    texts: rows.map((cells) => textOf(cells[at] ?? null)).join(separator),
    nulls: known,
    as: form,
  }
}

/** Undefined for a cell that is sent by itself. */
function formOf(cell: Value): TextForm | 'number' | undefined {
  if (typeof cell === 'number') return 'number'
  if (typeof cell === 'string') return cell.includes(separator) ? undefined : 'string'
  if (typeof cell !== 'object' || cell === null || cell.text.includes(separator)) return undefined
  return cell.kind === 'other' ? { other: cell.type } : cell.kind
}

function isSameForm(one: TextForm | 'number', other: TextForm | 'number'): boolean {
  if (typeof one === 'string' || typeof other === 'string') return one === other
  return one.other === other.other
}

function textOf(cell: Value): string {
  if (typeof cell === 'object') return cell === null ? '' : cell.text
  return String(cell)
}

function unpackColumn(column: PackedColumn, rows: number): readonly Value[] {
  if (column.kind === 'values') return column.values
  const { nulls } = column
  if (column.kind === 'numbers')
    return Array.from(column.numbers, (number, row) => (nulls?.[row] === 1 ? null : number))
  const { as } = column
  const texts = rows === 0 ? [] : column.texts.split(separator)
  return texts.map((text, row): Value => {
    if (nulls?.[row] === 1) return null
    if (as === 'string') return text
    return typeof as === 'string' ? { kind: as, text } : { kind: 'other', type: as.other, text }
  })
}

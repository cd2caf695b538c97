import { TokenParser } from '@streamparser/json'
import { z } from 'zod'
import { messageOf } from '../../errors.js'
import type { Column, ResultSet } from '../contract/engine.js'
import { ExactTokenizer } from '../query/exact-json.js'
import { typedCell, untypedCell } from '../query/json-values.js'
import { RowCollector } from '../query/row-collector.js'

/** The body is not the response of a query service. */
export class MalformedResponse extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause })
    this.name = 'MalformedAnswer'
  }
}

/** The content of a page besides its columns and rows. */
export interface Page {
  readonly error: string | undefined
  /** The address of the next page, as the service wrote it. */
  readonly next: string | undefined
  readonly rows: number
}

const columnsSchema = z
  .array(z.union([z.string(), z.looseObject({ name: z.string(), type: z.string().nullish() })]))
  .transform((columns): Column[] =>
    columns.map((column) =>
      typeof column === 'string'
        ? { name: column, type: '' }
        : { name: column.name, type: column.type ?? '' },
    ),
  )
const restSchema = z.looseObject({
  error: z.string().nullish(),
  next: z.string().nullish(),
  truncated: z.boolean().nullish(),
})

/**
 * Maximal bytes of a body for each byte of cells, for escapes, white space, keys; reading stops beyond that.
 */
const rawPerByte = 8
const rawAlways = 1_000_000

/** Collects the rows of a response, page by page and as bytes arrive, keeping no more than the caps allow. */
export class ResponseReader {
  private readonly caps: { readonly rows: number; readonly bytes: number }
  private readonly collector: RowCollector
  private columns: readonly Column[] | undefined
  private rawBytes = 0
  private full = false
  private truncated = false

  constructor(caps: { rows: number; bytes: number }) {
    this.caps = caps
    this.collector = new RowCollector([], caps)
  }

  /** Whether a cap was reached, so that the rest is not needed. */
  get isFull(): boolean {
    return this.full
  }

  /**
   * Reads one page, or as much of it as is kept. Throws `MalformedResponse`, and the errors of reading the
   * body.
   */
  async readPage(body: AsyncIterable<Uint8Array>): Promise<Page> {
    const rest: Record<string, unknown> = {}
    let rows = 0
    const parser = new PageParser((key, value) => {
      if (typeof key === 'number') {
        rows++
        this.add(value)
      } else if (key === 'columns') this.name(value)
      else rest[key] = value
    })
    for await (const bytes of body) {
      this.rawBytes += bytes.length
      parser.write(bytes)
      if (this.rawBytes > this.caps.bytes * rawPerByte + rawAlways) this.full = true
      if (this.full) return { error: undefined, next: undefined, rows }
    }
    parser.end()
    const parsed = restSchema.safeParse(rest)
    if (!parsed.success) {
      throw new MalformedResponse('`error` and `next` must be strings, `truncated` true or false')
    }
    if (parsed.data.truncated) this.truncated = true
    // Services that always write every member leave it empty.
    return { error: parsed.data.error || undefined, next: parsed.data.next || undefined, rows }
  }

  /** Returns everything that was kept. Throws `MalformedResponse` if rows and columns do not match. */
  result(): ResultSet {
    const { columns } = this
    if (columns === undefined) throw new MalformedResponse('a response without `columns`')
    const { rows, cut } = this.collector.result()
    const typed = rows.map((row) => {
      if (row.length !== columns.length)
        throw new MalformedResponse(`a row of ${row.length} cells under ${columns.length} columns`)
      return row.map((cell, at) => typedCell(cell, columns[at]?.type ?? ''))
    })
    return { columns, rows: typed, cut: cut ?? (this.full ? 'bytes' : this.truncated ? 'service' : null) }
  }

  /** Records the columns. Later pages may omit them, but not name others: rows of both would be mixed up. */
  private name(value: unknown): void {
    const columns = value === null ? [] : columnsOf(value)
    if (value === null || (this.columns !== undefined && columns.length === 0)) return
    const names = (list: readonly Column[]): string => JSON.stringify(list.map(({ name }) => name))
    if (this.columns !== undefined && names(columns) !== names(this.columns))
      throw new MalformedResponse('a page with other `columns` than the first')
    this.columns = columns
  }

  private add(row: unknown): void {
    if (!Array.isArray(row)) throw new MalformedResponse('a row that is not a list of cells')
    if (!this.full && !this.collector.add(row.map(untypedCell))) this.full = true
  }
}

function columnsOf(value: unknown): readonly Column[] {
  const parsed = columnsSchema.safeParse(value)
  if (parsed.success) return parsed.data
  throw new MalformedResponse('`columns` must be names, or objects with name and type')
}

/** Space, tab and line ends, and the bytes of a byte order mark. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d, 0xef, 0xbb, 0xbf])
const lessThan = 0x3c

/** Reports the members of a page as they arrive: rows by their position, the others by name. */
class PageParser {
  private begun = false
  private readonly tokenizer = new ExactTokenizer()
  private readonly parser = new TokenParser({
    paths: ['$.columns', '$.rows.*', '$.error', '$.next', '$.truncated'],
    keepStack: false,
  })

  constructor(onMember: (key: string | number, value: unknown) => void) {
    this.tokenizer.onToken = (token) => this.parser.write(token)
    this.parser.onValue = ({ key, value }) => {
      if (key !== undefined) onMember(key, value)
    }
  }

  write(bytes: Uint8Array): void {
    if (!this.begun) this.begin(bytes)
    asMalformed(() => this.tokenizer.write(bytes))
  }

  /**
   * Checks the beginning. HTML, which a proxy or a sign-in page returns in place of the service, gets a
   * separate error.
   */
  private begin(bytes: Uint8Array): void {
    const first = bytes.find((byte) => !blanks.has(byte))
    if (first === undefined) return
    this.begun = true
    if (first === lessThan) throw new MalformedResponse('it answers HTML, not JSON')
  }

  end(): void {
    asMalformed(() => {
      if (!this.tokenizer.isEnded) this.tokenizer.end()
      if (!this.parser.isEnded) this.parser.end()
    })
  }
}

function asMalformed(parse: () => void): void {
  try {
    parse()
  } catch (error) {
    if (error instanceof MalformedResponse) throw error
    // Internal states of the parser mean nothing to a reader.
    const what = messageOf(error).replace(/ (?:in state \w+|\(state: \w+\))/, '')
    throw new MalformedResponse(`it is not JSON: ${what}`, error)
  }
}

/** Why bytes are no message, and the first of them, which may show its id. */
export interface BrokenFrame {
  readonly reason: string
  readonly head: Buffer
}

export interface FrameListener {
  /** Called with each body; returns why it is no message, undefined if it is one. */
  readonly onBody: (body: Buffer) => string | undefined
  /** Called once for each message that cannot be read. */
  readonly onBroken: (broken: BrokenFrame) => void
}

type State =
  | { readonly kind: 'header' }
  | { readonly kind: 'body'; readonly length: number }
  /** A body that is larger than any message may be: nothing of it is kept. */
  | { readonly kind: 'too large'; readonly left: number; readonly isReported: boolean }
  /** After a broken header, up to the next one. */
  | { readonly kind: 'lost' }

const mostHeaderBytes = 4096
/** Most bytes of one body. */
export const mostBodyBytes = 64_000_000
/** A header that begins at the end of a part is found with the next one. */
const overlap = 400
/** First bytes of a message that has no answer else. */
const headBytes = 4096

/**
 * The beginning of a header. No JSON has it: within a text a quote comes before the end of the line, and outside of one there are no
 * such words. So where it stands in a body, the length of that body was wrong.
 */
const headerStart = /content-length[ \t]*:[^"\r\n]{0,200}\r?\n|(?<=\n)content-length[ \t]*:/i
const headerBlock = /^(?:[\w-]+[ \t]*:[^\r\n]*\r?\n)+\r?\n/
/** What a header may begin with, as long as the rest has not come. */
const partOfHeader = /^(?:[\w-]+[ \t]*:[^\r\n]*\r?\n)*(?:[\w-]*|[\w-]+[ \t]*|[\w-]+[ \t]*:[^\r\n]*)\r?$/

/**
 * Splits a stream into bodies, each preceded by a header with its `Content-Length`. After what cannot be read it goes on at the next header, wherever that
 * stands.
 */
export class MessageFrames {
  readonly #listener: FrameListener
  #state: State = { kind: 'header' }
  #parts: Buffer[] = []
  #size = 0
  /** How many bytes of a body were searched for a header. */
  #searched = 0

  constructor(listener: FrameListener) {
    this.#listener = listener
  }

  push(part: Buffer): void {
    this.#parts.push(part)
    this.#size += part.length
    while (this.#size > 0 && this.#step()) {
      // As long as something is decided.
    }
  }

  /** The input has ended: what has begun never becomes whole. */
  end(): void {
    const { kind } = this.#state
    if (kind === 'body' || (kind === 'header' && this.#size > 0))
      this.#broken('the input ended within a message', this.#take(this.#size))
    this.#become({ kind: 'header' })
    this.#size = 0
    this.#parts = []
  }

  /** Does one thing with what has come; false where more bytes have to come first. */
  #step(): boolean {
    const state = this.#state
    if (state.kind === 'header') return this.#readHeader()
    if (state.kind === 'body') return this.#readBody(state.length)
    if (state.kind === 'too large') return this.#passOver(state)
    const start = this.#headerIn(0, this.#size)
    this.#take(start ?? Math.max(0, this.#size - overlap))
    if (start !== undefined) this.#become({ kind: 'header' })
    return start !== undefined
  }

  #readHeader(): boolean {
    const text = this.#peek(0, mostHeaderBytes).toString('latin1')
    const blank = /^[\r\n]+/.exec(text)?.[0].length ?? 0
    if (blank > 0) {
      this.#take(blank)
      return true
    }
    const [block] = headerBlock.exec(text) ?? []
    if (block === undefined) {
      if (text.length < mostHeaderBytes && partOfHeader.test(text)) return false
      return this.#lose('there is no header with a Content-Length', 0)
    }
    const values = [...block.matchAll(/^content-length[ \t]*:[ \t]*(.*?)[ \t]*\r?$/gim)].map(
      ([, value = '']) => value,
    )
    const [value] = values
    if (value === undefined) return this.#lose('the header has no Content-Length', block.length)
    if (!/^\d{1,15}$/.test(value))
      return this.#lose('the Content-Length is not a number of bytes', block.length)
    if (values.some((other) => other !== value))
      return this.#lose('the header has two values of Content-Length', block.length)
    this.#take(block.length)
    const length = Number(value)
    if (length > mostBodyBytes) this.#become({ kind: 'too large', left: length, isReported: false })
    else if (length > 0) this.#become({ kind: 'body', length })
    else this.#broken('the message is empty', Buffer.alloc(0))
    return true
  }

  #readBody(length: number): boolean {
    const from = Math.max(0, this.#searched - overlap)
    const until = Math.min(length, this.#size)
    const start = this.#headerIn(from, until)
    if (start !== undefined) {
      this.#broken(
        `the message has ${start} bytes, and its header says ${length}`,
        this.#take(start).subarray(0, headBytes),
      )
      this.#become({ kind: 'header' })
      return true
    }
    this.#searched = until
    if (this.#size < length) return false
    const body = this.#take(length)
    this.#become({ kind: 'header' })
    const reason = this.#listener.onBody(body)
    if (reason !== undefined) this.#broken(reason, body)
    return true
  }

  #passOver({ left, isReported }: State & { readonly kind: 'too large' }): boolean {
    const part = Math.min(left, this.#size)
    const start = this.#headerIn(0, part)
    if (!isReported)
      this.#broken(`a message has at most ${mostBodyBytes} bytes`, this.#peek(0, Math.min(part, headBytes)))
    const passed = start ?? (part === left ? part : Math.max(0, part - overlap))
    this.#take(passed)
    if (start !== undefined || part === left) this.#become({ kind: 'header' })
    else this.#become({ kind: 'too large', left: left - passed, isReported: true })
    return start !== undefined || part === left
  }

  /** Reports what is no header, drops it, and looks for the next one. */
  #lose(reason: string, bytes: number): true {
    // Its body may show an id; a header in it is not its own.
    const rest = this.#peek(bytes, headBytes)
    const end = headerStart.exec(rest.toString('latin1'))?.index ?? rest.length
    this.#broken(reason, rest.subarray(0, end))
    // A line that only begins like a header must not be found again.
    this.#take(Math.max(bytes, 1))
    this.#become({ kind: 'lost' })
    return true
  }

  #broken(reason: string, head: Buffer): void {
    this.#listener.onBroken({ reason, head })
  }

  #become(state: State): void {
    this.#state = state
    this.#searched = 0
  }

  /** Returns where a header begins within some of the bytes that are here; undefined if none does. */
  #headerIn(from: number, until: number): number | undefined {
    // A header may end behind a body that is too long by a few bytes.
    const found = headerStart.exec(this.#peek(from, until - from + overlap).toString('latin1'))
    return found === null || from + found.index >= until ? undefined : from + found.index
  }

  #peek(from: number, length: number): Buffer {
    const [first] = this.#parts
    if (this.#parts.length === 1 && first !== undefined) return first.subarray(from, from + length)
    const found: Buffer[] = []
    let at = 0
    for (const part of this.#parts) {
      const [start, end] = [Math.max(0, from - at), from + length - at]
      if (end <= 0) break
      if (start < part.length) found.push(part.subarray(start, end))
      at += part.length
    }
    return Buffer.concat(found)
  }

  #take(length: number): Buffer {
    const taken = this.#peek(0, length)
    let left = taken.length
    this.#size -= left
    while (left > 0) {
      const part = this.#parts.shift()
      if (part === undefined) break
      if (part.length > left) this.#parts.unshift(part.subarray(left))
      left -= Math.min(left, part.length)
    }
    return taken
  }
}

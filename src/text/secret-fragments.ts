/** Characters of a secret that must not be left: shorter parts occur in any text. */
const shortest = 6

/** How many characters may stand between two of a secret: `, ` or `\u200b`, whatever separates them. */
const widestGap = 8

interface Alphabet {
  readonly bits: number
  readonly characters: string
}
const alphabets: readonly Alphabet[] = [
  { bits: 4, characters: '0123456789abcdef' },
  { bits: 5, characters: 'abcdefghijklmnopqrstuvwxyz234567' },
  { bits: 6, characters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/' },
]

/** A password that is one word: as a whole it is masked, and its parts are parts of other words (`snippet` of `snippets`). */
const oneWord = /^(?:\p{Ll}{1,19}|\p{Lu}{1,19})$/u

/** Characters that are wholly a fragment's, wherever it stands in an encoded text. */
const encodedLength = ({ bits }: Alphabet): number => Math.floor((shortest * 8 - (bits - 1)) / bits)

/** Runs of one length, and which pairs of characters they begin with. */
interface Runs {
  readonly all: ReadonlySet<string>
  readonly length: number
  readonly pairs: Uint8Array
}

function runsOf(all: readonly string[], length: number): Runs {
  const pairs = new Uint8Array(1 << 16)
  for (const run of all) pairs[pairAt(run, 0)] = 1
  return { all: new Set(all), length, pairs }
}

/** Letters beyond Latin share places. */
function pairAt(text: string, at: number): number {
  return ((text.charCodeAt(at) & 255) << 8) | (text.charCodeAt(at + 1) & 255)
}

interface View {
  readonly text: string
  /** Where the source of each character begins, and ends. */
  readonly from: Int32Array
  readonly to: Int32Array
}

/**
 * Returns a function that masks every part of six or more letters and digits of the secrets: in either direction and any
 * case, with anything between them, escaped (`%41`, `\\u0041`, `&#65;`), in base64, base32 or hexadecimal at any offset. Letters
 * alone, or digits alone and unbroken, are masked where they stand alone and are no whole word of the secret: they may be
 * ordinary. Of a password that is one word only the whole is masked.
 */
export function fragmentMask(secrets: readonly string[]): (text: string) => string {
  const streams = secrets.map((secret) => ({ secret, stream: charactersOf(secret) }))
  const telling = streams.filter(({ secret, stream }) => stream.length > shortest && !oneWord.test(secret))
  const plain = runsOf(
    telling.flatMap(({ stream }) => inBothDirections(runsIn(stream.toLowerCase(), shortest))),
    shortest,
  )
  const cased = new Set(telling.flatMap(({ stream }) => inBothDirections(runsIn(stream, shortest))))
  const words = new Set(
    telling.flatMap(({ secret }) => secret.toLowerCase().match(/\p{L}+|\d+/gu) ?? []).flatMap(inBoth),
  )
  const encoded = alphabets.map((alphabet) => ({
    digits: digitsIn(alphabet),
    runs: runsOf(
      telling.flatMap(({ secret }) =>
        inBoth(secret).flatMap((text) => inBothDirections(encodedRuns(text, alphabet))),
      ),
      encodedLength(alphabet),
    ),
  }))
  if (telling.length === 0) return (text) => text
  return (text) => {
    if (text.length < shortest) return text
    const spans: [number, number][] = []
    const letters = decoded(text)
    for (const [start, end] of found(letters, plain)) {
      const [from, to] = [letters.from[start] ?? 0, letters.to[end - 1] ?? 0]
      if (isTelling(letters.text.slice(start, end), text, from, to, words, cased)) spans.push([from, to])
    }
    for (const { digits, runs } of encoded) {
      const view = digitsOf(text, digits)
      for (const [start, end] of found(view, runs)) spans.push([view.from[start] ?? 0, view.to[end - 1] ?? 0])
    }
    return masked(text, spans)
  }
}

function inBoth(text: string): string[] {
  return [text, [...text].reverse().join('')]
}

function inBothDirections(texts: readonly string[]): string[] {
  return texts.flatMap(inBoth)
}

function charactersOf(secret: string): string {
  return secret.replaceAll(/[^\p{L}\p{N}]+/gu, '')
}

function runsIn(text: string, length: number): string[] {
  return Array.from({ length: Math.max(0, text.length - length + 1) }, (_, at) => text.slice(at, at + length))
}

/** Returns what every six characters of a secret become in an encoded text, at each offset in it. */
function encodedRuns(secret: string, { bits, characters }: Alphabet): string[] {
  const bytes = Buffer.from(secret)
  const runs: string[] = []
  const length = encodedLength({ bits, characters })
  for (let shift = 0; shift < bits; shift++) {
    let encoded = ''
    let [held, count] = [0, -shift]
    for (const byte of bytes) {
      held = (held << 8) | byte
      count += 8
      while (count >= bits) {
        encoded += characters[(held >> (count - bits)) & ((1 << bits) - 1)] ?? ''
        count -= bits
      }
      held &= 0xffff
    }
    // Bits before the secret's first are the text's in front of it.
    runs.push(...runsIn(encoded, length))
  }
  return runs
}

/** What an escape of a programming language, an address or a page stands for; undefined for none that is read. */
const escapes =
  /%([0-9a-f]{2})|\\u\{?([0-9a-f]{2,6})\}?|\\x([0-9a-f]{2})|&#x([0-9a-f]{1,6});|&#(\d{1,7});|\\[nrtbfv0]|&\w+;/giy

/** Returns letters and digits in lower case, escapes as what they stand for. */
function decoded(text: string): View {
  const from = new Int32Array(text.length)
  const to = new Int32Array(text.length)
  const codes = new Uint16Array(text.length)
  let count = 0
  const keep = (code: number, start: number, end: number): void => {
    const lower = code >= 65 && code <= 90 ? code + 32 : code
    const isKept =
      lower < 128
        ? (lower >= 48 && lower <= 57) || (lower >= 97 && lower <= 122)
        : lower <= 0xffff && letterOrDigit.test(String.fromCharCode(lower))
    if (!isKept) return
    from[count] = start
    to[count] = end
    codes[count] = lower < 128 ? lower : String.fromCharCode(lower).toLowerCase().charCodeAt(0)
    count++
  }
  for (let at = 0; at < text.length; ) {
    const code = text.charCodeAt(at)
    if (code === 37 || code === 92 || code === 38) {
      escapes.lastIndex = at
      const match = escapes.exec(text)
      if (match !== null) {
        const [whole, percent, unicode, hex, entityHex, entity] = match
        const digits = percent ?? unicode ?? hex ?? entityHex
        if (digits !== undefined) keep(Number.parseInt(digits, 16), at, at + whole.length)
        else if (entity !== undefined) keep(Number(entity), at, at + whole.length)
        at += whole.length
        continue
      }
    }
    keep(code, at, at + 1)
    at++
  }
  return { text: Buffer.from(codes.buffer, 0, count * 2).toString('utf16le'), from, to }
}

const letterOrDigit = /[\p{L}\p{N}]/u

/** By code of a character: the code of the one of the alphabet that it is read as, or 0. */
function digitsIn({ bits, characters }: Alphabet): Uint8Array {
  const digits = new Uint8Array(128)
  for (const character of characters) {
    digits[character.charCodeAt(0)] = character.charCodeAt(0)
    if (bits < 6) digits[character.toUpperCase().charCodeAt(0)] = character.charCodeAt(0)
  }
  // As addresses have them.
  if (bits === 6)
    for (const [one, other] of ['-+', '_/']) digits[(one ?? '').charCodeAt(0)] = (other ?? '').charCodeAt(0)
  return digits
}

function digitsOf(text: string, digits: Uint8Array): View {
  const from = new Int32Array(text.length)
  const to = new Int32Array(text.length)
  const codes = Buffer.alloc(text.length)
  let count = 0
  for (let at = 0; at < text.length; at++) {
    const digit = digits[text.charCodeAt(at)] ?? 0
    if (digit === 0) continue
    from[count] = at
    to[count] = at + 1
    codes[count] = digit
    count++
  }
  return { text: codes.toString('latin1', 0, count), from, to }
}

/** Returns the longest stretches of a view that consist of runs, as positions in it. */
function found(view: View, { all, length, pairs }: Runs): [number, number][] {
  const spans: [number, number][] = []
  const { text } = view
  for (let at = 0; at + length <= text.length; at++) {
    if (pairs[pairAt(text, at)] === 0 || !all.has(text.slice(at, at + length))) continue
    if (!isTogether(view, at, at + length)) continue
    const last = spans.at(-1)
    if (last !== undefined && at === last[1] - length + 1) last[1] = at + length
    else spans.push([at, at + length])
  }
  return spans
}

function isTogether({ from, to }: View, start: number, end: number): boolean {
  for (let at = start + 1; at < end; at++) if ((from[at] ?? 0) - (to[at - 1] ?? 0) > widestGap) return false
  return true
}

/** Decides whether a part reveals a secret, or may as well be an ordinary word or number. */
function isTelling(
  part: string,
  text: string,
  from: number,
  to: number,
  words: ReadonlySet<string>,
  cased: ReadonlySet<string>,
): boolean {
  if (/\p{L}/u.test(part) && /\p{N}/u.test(part)) return true
  const source = text.slice(from, to)
  const isMixedCase = /\p{Ll}\p{Lu}/u.test(source) && runsIn(source, shortest).some((run) => cased.has(run))
  if (isMixedCase) return true
  // Dates, times and lists of numbers have the same digits.
  if (!/\p{L}/u.test(part) && source.length > part.length) return false
  const isAlone =
    !/[\p{L}\p{N}]$/u.test(text.slice(Math.max(0, from - 2), from)) &&
    !/^[\p{L}\p{N}]/u.test(text.slice(to, to + 2))
  return isAlone && !words.has(part)
}

function masked(text: string, spans: readonly (readonly [number, number])[]): string {
  let shown = ''
  let done = 0
  for (const [from, to] of [...spans].sort((a, b) => a[0] - b[0])) {
    if (to <= done) continue
    const between = text.slice(done, Math.max(done, from))
    shown += between === '' && shown.endsWith('***') ? '' : `${between}***`
    done = to
  }
  return shown + text.slice(done)
}

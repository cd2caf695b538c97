/** What the declared type of a column holds, as texts that the type reads: copies write values of their own for each kind but `held`. */
export type ValueForm =
  | { readonly kind: 'integer'; readonly least: string; readonly most: string }
  | { readonly kind: 'double' }
  /** `digits` before the point and `scale` after it, at most. */
  | { readonly kind: 'decimal'; readonly digits: number; readonly scale: number }
  | { readonly kind: 'boolean' }
  | { readonly kind: 'text'; readonly most?: number; readonly ignoresCase?: true }
  | { readonly kind: 'date' }
  /** `digits` of a second. */
  | { readonly kind: 'timestamp'; readonly digits: number }
  | { readonly kind: 'time'; readonly digits: number }
  | { readonly kind: 'interval' }
  | { readonly kind: 'uuid' }
  | { readonly kind: 'inet' }
  | { readonly kind: 'bytes'; readonly written: 'hex' | 'hex with \\x' | 'base64' }
  | { readonly kind: 'label'; readonly labels: readonly string[] }
  | { readonly kind: 'json' }
  /** In braces, as PostgreSQL writes it, or as JSON. */
  | { readonly kind: 'array'; readonly written: 'braces' | 'json'; readonly of: ValueForm }
  | { readonly kind: 'row'; readonly fields: readonly ValueForm[] }
  | { readonly kind: 'map'; readonly of: ValueForm }
  | { readonly kind: 'range' }
  /** Only what the sample holds. */
  | { readonly kind: 'held' }

/** Reports whether the type reads a text; undefined: only what the sample holds is known to be read. */
export function acceptsText(form: ValueForm, text: string): boolean | undefined {
  switch (form.kind) {
    case 'integer':
      return (
        /^-?\d{1,20}$/u.test(text) && BigInt(text) >= BigInt(form.least) && BigInt(text) <= BigInt(form.most)
      )
    case 'double':
      return isNumber(text) || /^-?(?:Infinity|NaN)$/u.test(text)
    case 'decimal':
      return isNumber(text) && Math.abs(Number(text)) < 10 ** form.digits
    case 'boolean':
      return text === '0' || text === '1'
    case 'text':
      return text.length <= (form.most ?? Number.POSITIVE_INFINITY) && !text.includes('\0')
    case 'date':
      return isDay(text)
    case 'timestamp':
      return /^\d{4}-\d\d-\d\d(?: \d\d:\d\d:\d\d(?:\.\d+)?)?$/u.test(text) && isDay(text.slice(0, 10))
    case 'time':
      return /^-?\d{2,3}:[0-5]\d:[0-5]\d(?:\.\d+)?$/u.test(text)
    case 'interval':
      return (
        /^(?:[-+]?\d+ (?:year|mon|day)s? ?)*(?:[-+]?\d+:\d\d:\d\d(?:\.\d+)?)?$/u.test(text) && text !== ''
      )
    case 'uuid':
      return /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/iu.test(text)
    case 'inet':
      return /^\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?$/u.test(text)
    case 'bytes':
      return bytesPattern[form.written].test(text)
    case 'label':
      return form.labels.includes(text)
    case 'json':
    case 'row':
    case 'map':
      return isJsonText(text)
    case 'array':
      return form.written === 'json' ? isJsonText(text) : /^\{.*\}$/su.test(text)
    case 'range':
      return /^(?:empty|[[(].*,.*[\])])$/su.test(text)
    case 'held':
      return undefined
  }
}

const bytesPattern = {
  hex: /^(?:[\da-f]{2})*$/iu,
  'hex with \\x': /^\\x(?:[\da-f]{2})*$/iu,
  base64: /^[A-Za-z\d+/]*={0,2}$/u,
} as const

/** Digits after the point that a number of the form has at least; undefined for what is no number. */
export function decimalsOf(form: ValueForm): number | undefined {
  if (form.kind === 'integer') return 0
  if (form.kind === 'double') return 1
  return form.kind === 'decimal' ? form.scale : undefined
}

function isNumber(text: string): boolean {
  return /^-?\d+(?:\.\d+)?(?:e[-+]?\d+)?$/iu.test(text)
}

function isDay(text: string): boolean {
  const at = /^\d{4}-\d\d-\d\d$/u.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(text) && !text.startsWith('0000')
}

function isJsonText(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

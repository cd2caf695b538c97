import { z } from 'zod'
import { isIsoDate } from '../text/iso-date.js'
import { parseDuration, parseScanLimit, parseSize } from './parse-units.js'

/** Timers accept no longer duration. */
const maxDurationMs = 2 ** 31 - 1

/** Accepts text or a number in the file, and results in a number in the base unit. */
function measure(parse: (text: string) => number | undefined, example: string, most: number) {
  return z.union([z.string(), z.number()]).transform((value, context) => {
    const parsed = parse(String(value))
    if (parsed !== undefined && parsed > 0 && parsed <= most) return parsed
    const message =
      parsed === undefined ? `must be written with its unit, as in ${example}` : 'is out of range'
    context.addIssue({ code: 'custom', message })
    return z.NEVER
  })
}

// Titles name the types in docs/configuration.md, descriptions are the explanations there
// (scripts/config-docs.js).
export const durationMs = measure(parseDuration, '30s, 10m or 500ms', maxDurationMs).meta({
  title: 'duration',
})
export const sizeBytes = measure(parseSize, '64MB or 1GB', Number.MAX_SAFE_INTEGER).meta({ title: 'size' })

export const scanLimit = z
  .string()
  .transform((text, context) => {
    const limit = parseScanLimit(text)
    if (limit !== undefined) return limit
    context.addIssue({ code: 'custom', message: 'must be a size as in 10GB, or a duration as in 5m' })
    return z.NEVER
  })
  .meta({ title: 'size or duration' })

export const concurrency = z.int().min(1, 'must be at least 1').max(256, 'must be at most 256')
export const maxRetries = z.int().min(0, 'must not be negative').max(100, 'must be at most 100')
export const tolerance = z
  .number()
  .min(0, 'must not be negative')
  .lt(1, 'must be below 1, or anything matches')
export const fuzz = z.int().min(0, 'must not be negative').max(100, 'must be at most 100')
export const seed = z
  .int()
  .min(0, 'must not be negative')
  .max(2 ** 31 - 1, 'must be at most 2147483647')
export const isoDate = z.string().refine(isIsoDate, 'must be a date as in 2025-12-31').meta({ title: 'date' })

export const nonNegativeInteger = z.int().min(0, 'must not be negative')
export const nonNegativeNumber = z.number().min(0, 'must not be negative')

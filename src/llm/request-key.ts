import { createHash } from 'node:crypto'
import type { ChatRequest } from './provider.js'

/**
 * Returns the key of one answer: equal for equal requests to one model, different for each of several
 * independent samples.
 */
export function requestKey(request: ChatRequest, sample: number): string {
  return createHash('sha256')
    .update(`${canonicalJson(request)}\0${sample}`)
    .digest('hex')
    .slice(0, 32)
}

/** Returns JSON with sorted keys; absent values are left out. */
function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null'
  const parts = Object.entries(value)
    .filter(([, part]) => part !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, part]) => `${JSON.stringify(key)}:${canonicalJson(part)}`)
  return `{${parts.join(',')}}`
}

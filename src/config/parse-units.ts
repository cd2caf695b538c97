const durationUnits: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

const sizeUnits: Readonly<Record<string, number>> = {
  B: 1,
  KB: 1e3,
  MB: 1e6,
  GB: 1e9,
  KIB: 2 ** 10,
  MIB: 2 ** 20,
  GIB: 2 ** 30,
}

/** Parses `500ms 30s 10m 1.5h` to milliseconds; undefined for anything else. */
export function parseDuration(text: string): number | undefined {
  return parseUnits(text, (unit) => durationUnits[unit])
}

/** Parses `64MB 1GB 512KiB` to bytes, MB being 10^6 and MiB 2^20; undefined for anything else. */
export function parseSize(text: string): number | undefined {
  return parseUnits(text, (unit) => sizeUnits[unit.toUpperCase()])
}

/** The most that engines may read in a run, or the most time that queries may take together. */
export type ScanLimit = { readonly bytes: number } | { readonly ms: number }

/** Parses `10GB` or `5m`; undefined for anything else, and for nothing. */
export function parseScanLimit(text: string): ScanLimit | undefined {
  const [ms, bytes] = [parseDuration(text), parseSize(text)]
  if (ms !== undefined) return ms > 0 ? { ms } : undefined
  return bytes !== undefined && bytes > 0 ? { bytes } : undefined
}

function parseUnits(text: string, factorOf: (unit: string) => number | undefined): number | undefined {
  const match = /^(\d+(?:\.\d+)?) ?([A-Za-z]+)$/.exec(text.trim())
  const factor = factorOf(match?.[2] ?? '')
  return factor === undefined ? undefined : Math.round(Number(match?.[1]) * factor)
}

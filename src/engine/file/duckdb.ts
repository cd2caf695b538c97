import type { FixedEngineKind } from '../contract/engine-kind.js'
import { prewarmProcess } from '../pool/engine-process.js'
import { openFileEngine } from './file-engine.js'

const magic = Buffer.from('DUCK')
const magicAt = 8

/** `duckdb:data/shop.duckdb`: a DuckDB file, opened read-only in a child process. */
export const duckdbKind: FixedEngineKind = {
  scheme: 'duckdb',
  dialect: 'duckdb',
  prewarm: () => prewarmProcess('duckdb'),
  open: (location, options) =>
    openFileEngine(
      {
        title: 'DuckDB',
        scheme: 'duckdb',
        dialect: 'duckdb',
        isDatabase: (head) => head.subarray(magicAt, magicAt + magic.length).equals(magic),
        companions: ['.wal'],
        leftovers: ['.wal', '.tmp'],
        acquirePath: async (path) => ({ path, release: () => undefined }),
      },
      location,
      options,
    ),
}

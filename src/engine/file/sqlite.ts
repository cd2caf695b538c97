import type { FixedEngineKind } from '../contract/engine-kind.js'
import { prewarmProcess } from '../pool/engine-process.js'
import { openFileEngine } from './file-engine.js'
import { privateCopy } from './private-copy.js'

const magic = Buffer.from('SQLite format 3\0')

/**
 * Offset of the file format's read version in the header; 2 means write-ahead log
 * (sqlite.org/fileformat2.html).
 */
const readVersionAt = 19
const walVersion = 2

/** `sqlite:data/shop.db`: an SQLite file, opened read-only in a child process. */
export const sqliteKind: FixedEngineKind = {
  scheme: 'sqlite',
  dialect: 'sqlite',
  prewarm: () => prewarmProcess('sqlite'),
  open: (location, options) =>
    openFileEngine(
      {
        title: 'SQLite',
        scheme: 'sqlite',
        dialect: 'sqlite',
        isDatabase: (head) => head.subarray(0, magic.length).equals(magic),
        companions: ['-wal'],
        leftovers: ['-journal', '-wal', '-shm'],
        // Even a reader of a WAL database writes -wal and -shm files beside it.
        acquirePath: async (path, head) =>
          head[readVersionAt] === walVersion
            ? privateCopy(path, '-wal', location)
            : { path, release: () => undefined },
      },
      location,
      options,
    ),
}

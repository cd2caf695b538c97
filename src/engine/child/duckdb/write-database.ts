import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api'
import { messageOf } from '../../../errors.js'
import { quoteText } from '../../query/quote-names.js'
import { EngineFault } from '../protocol.js'
import { oneLine, sandboxConfig } from './sandbox.js'

/**
 * Share of the memory limit for the engine; the rows are kept by this process, and the original is open as
 * well.
 */
const engineShare = 0.5

/** Writes a database at `target`, attached as `changed`; another file may be attached beside it. */
export async function writeDatabase(
  target: string,
  memoryBytes: number,
  write: (connection: DuckDBConnection) => Promise<void>,
): Promise<void> {
  const instance = await DuckDBInstance.create(':memory:', {
    ...sandboxConfig,
    memory_limit: `${Math.floor((memoryBytes * engineShare) / 1024)}KiB`,
  })
  try {
    const connection = await instance.connect()
    await connection.run(`ATTACH ${quoteText(target)} AS changed`)
    await write(connection)
    // Only this empties the log beside the file, which is renamed alone.
    await connection.run('USE memory')
    await connection.run('DETACH changed')
  } catch (error) {
    throw new EngineFault(oneLine(messageOf(error)), error)
  } finally {
    instance.closeSync()
  }
}

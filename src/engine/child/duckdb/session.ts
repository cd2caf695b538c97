import { DuckDBInstance } from '@duckdb/node-api'
import { messageOf } from '../../../errors.js'
import { type ChildDriver, EngineFault, type Session } from '../protocol.js'
import { fuzzDuckdb, reorderDuckdbRows } from './fuzz.js'
import { injectDuckdbValues } from './inject-values.js'
import { DuckdbSandbox, oneLine, sandboxConfig } from './sandbox.js'

/** Number of copies kept open beside the database. */
const copiesOpen = 6

/** DuckDB in the child: one instance, a separate connection for each statement. */
export const duckdbDriver: ChildDriver = {
  async open(path: string, memoryBytes: number): Promise<Session> {
    let warehouse = await DuckdbSandbox.open(path, memoryBytes)
    // Open copies, the most recently used at the end; each costs some 20 MB and 15 ms to open.
    const copies = new Map<string, DuckdbSandbox>()
    let asked = warehouse
    const current = async () => {
      if (warehouse.isOutdated()) {
        warehouse.close()
        warehouse = await DuckdbSandbox.open(path, memoryBytes)
      }
      asked = warehouse
      return warehouse
    }
    const copyAt = async (copy: string) => {
      asked =
        copies.get(copy) ?? (await DuckdbSandbox.openCopy(copy, await warehouse.database(), memoryBytes))
      copies.delete(copy)
      copies.set(copy, asked)
      const [oldest] = copies
      if (oldest !== undefined && copies.size > copiesOpen) {
        copies.delete(oldest[0])
        oldest[1].close()
      }
      return asked
    }
    return {
      query: async (sql, caps) =>
        (await (caps.database === undefined ? current() : copyAt(caps.database))).run(sql, caps),
      fuzz: (request) => fuzzDuckdb(path, memoryBytes, request),
      reorderRows: (request) => reorderDuckdbRows(memoryBytes, request),
      injectValues: (request) => injectDuckdbValues(memoryBytes, request),
      explain: async (sql) => (await current()).run(sql, undefined),
      catalogue: async () => (await current()).catalogue(),
      isTainted: () => asked.isTainted(),
    }
  },

  async build(script: string, target: string): Promise<void> {
    const instance = await DuckDBInstance.create(target, {
      ...sandboxConfig,
      enable_external_access: 'false',
    })
    try {
      const connection = await instance.connect()
      await connection.run(script)
      await connection.run('CHECKPOINT')
      connection.closeSync()
    } catch (error) {
      throw new EngineFault(oneLine(messageOf(error)), error)
    } finally {
      instance.closeSync()
    }
  },
}

import { DuckDBInstance } from '@duckdb/node-api'
import { messageOf } from '../../errors.js'
import { type ChildDriver, EngineFault, type Session } from '../protocol.js'
import { confined, oneLine, Warehouse } from './duckdb-warehouse.js'

/** DuckDB in the child: one instance, a connection of its own for each statement. */
export const duckdbDriver: ChildDriver = {
  async open(path: string, memoryBytes: number): Promise<Session> {
    let warehouse = await Warehouse.open(path, memoryBytes)
    const current = async () => {
      if (warehouse.outdated()) {
        warehouse.close()
        warehouse = await Warehouse.open(path, memoryBytes)
      }
      return warehouse
    }
    return {
      query: async (sql, caps) => (await current()).run(sql, caps),
      explain: async (sql) => (await current()).run(sql, undefined),
      catalogue: async () => (await current()).catalogue(),
      spent: () => warehouse.spent(),
    }
  },

  async build(script: string, target: string): Promise<void> {
    const instance = await DuckDBInstance.create(target, { ...confined, enable_external_access: 'false' })
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

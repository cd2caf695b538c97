import type { FixedEngineKind } from '../contract/engine-kind.js'
import { postgresSettings } from './postgres-settings.js'
import { openServerEngine } from './server-engine.js'

/**
 * `postgres://user@host:5432/database?sslmode=verify-full`, each part optional: what is absent comes from the service file
 * and libpq's variables. A password is never in the address.
 */
export const postgresKind: FixedEngineKind = {
  scheme: 'postgres',
  dialect: 'postgres',
  async open(location, options) {
    const settings = await postgresSettings(location, options.root, process.env)
    return openServerEngine({ scheme: 'postgres', dialect: 'postgres', settings }, options)
  },
}

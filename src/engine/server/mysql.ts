import type { FixedEngineKind } from '../contract/engine-kind.js'
import { mysqlSettings } from './mysql-settings.js'
import { openServerEngine } from './server-engine.js'

/**
 * `mysql://user@host:3306/database?sslmode=verify-full`, MySQL or MariaDB; what is absent comes from the option file and
 * the environment. A password is never in the address.
 */
export const mysqlKind: FixedEngineKind = {
  scheme: 'mysql',
  dialect: 'mysql',
  async open(location, options) {
    const settings = await mysqlSettings(location, options.root, process.env)
    return openServerEngine({ scheme: 'mysql', dialect: 'mysql', settings }, options)
  },
}

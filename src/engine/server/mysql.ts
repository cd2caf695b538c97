import { mysqlSettings } from './mysql-settings.js'
import { serverKind, shownServerUrl } from './server-engine.js'

/**
 * `mysql://user@host:3306/database?sslmode=verify-full`, MySQL or MariaDB; what is absent comes from the option file and
 * the environment. A password is never in the address.
 */
export const mysqlKind = serverKind({
  scheme: 'mysql',
  dialect: 'mysql',
  judgesFunctions: true,
  settingsOf: mysqlSettings,
  shownUrl: (settings) => shownServerUrl('mysql', settings),
})

import { postgresSettings } from './postgres-settings.js'
import { serverKind, shownServerUrl } from './server-engine.js'

/**
 * `postgres://user@host:5432/database?sslmode=verify-full`, each part optional: what is absent comes from the service file
 * and libpq's variables. A password is never in the address.
 */
export const postgresKind = serverKind({
  scheme: 'postgres',
  dialect: 'postgres',
  judgesFunctions: true,
  settingsOf: postgresSettings,
  shownUrl: (settings) => shownServerUrl('postgres', settings),
})

import { afterAll, beforeAll, describe } from 'vitest'
import type { Engine } from '../../../src/engine/contract/engine.js'
import { largeResultContract } from './large-results.js'
import { needsPostgres, openAsReader, type PostgresServer, startPostgres } from './postgres-server.js'

const started = await startPostgres()
const server = started as PostgresServer
let engine: Engine

beforeAll(async () => {
  if (started === undefined) return
  process.env['PGPASSWORD'] = 'reader'
  await server.run('CREATE DATABASE large')
  await server.run(
    `CREATE TABLE numbers AS SELECT i AS id, 'name ' || i % 100 AS name, (i % 991)::numeric(10, 2) / 100 AS price,
       (i + 1) / 7.0::double precision AS ratio, date '2020-01-01' + i % 500 AS day FROM generate_series(0, 29999) AS i;
     GRANT SELECT ON numbers TO reader`,
    'large',
  )
  engine = await openAsReader(server, 'large')
})
afterAll(async () => {
  delete process.env['PGPASSWORD']
  await engine?.close()
  started?.stop()
})

describe('results above the cap, compared inside PostgreSQL', needsPostgres, () => {
  largeResultContract(() => engine)
})

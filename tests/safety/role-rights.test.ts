import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import type { RoleRights } from '../../src/engine/contract/role-rights.js'
import { mysqlKind } from '../../src/engine/server/mysql.js'
import { postgresKind } from '../../src/engine/server/postgres.js'
import { finding } from '../app/doctor/find-check.js'
import { removeFolders } from '../e2e/sample.js'
import { smallProject } from '../e2e/small-project.js'
import { type MariaDbServer, needsMariaDb, startMariaDb } from '../engine/server/mariadb-server.js'
import { needsPostgres, type PostgresServer, startPostgres } from '../engine/server/postgres-server.js'

// What a role could do beyond reading is said when an engine is opened, and by doctor, with statements that are ready to be run
// and that take the right away.

const options = { root: '/', concurrency: 1, memoryBytes: 400_000_000 }
const started = { postgres: await startPostgres(), mariaDb: await startMariaDb() }
const postgres = started.postgres as PostgresServer
const mariaDb = started.mariaDb as MariaDbServer

beforeAll(() => {
  process.env['PGPASSWORD'] = 'reader'
  process.env['MYSQL_PWD'] = 'reader'
})
afterEach(removeFolders)
afterAll(() => {
  delete process.env['PGPASSWORD']
  delete process.env['MYSQL_PWD']
  started.postgres?.stop()
  started.mariaDb?.stop()
})

const statementsOf = (found: RoleRights | undefined): string[] =>
  found?.rights.flatMap(({ statements }) => statements) ?? []

describe('PostgreSQL', needsPostgres, () => {
  const open = async (role = 'reader'): Promise<{ notes: string[]; found: RoleRights | undefined }> => {
    const found: RoleRights[] = []
    const notes: string[] = []
    for (const onRights of [(rights: RoleRights): void => void found.push(rights), undefined]) {
      const onNote = (text: string): void => void notes.push(text)
      await (await postgresKind.open(postgres.address({ role }), { ...options, onNote, onRights })).close()
    }
    return { notes, found: found[0] }
  }

  it('what everybody may do is named by its effect, and the statements take it away', async () => {
    const { notes, found } = await open()
    expect(found?.rights.map(({ effect }) => effect)).toEqual([
      'end statements and sessions of its own role',
      'write large objects',
      'run the SQL of a text',
    ])
    expect(notes).toEqual([
      expect.stringMatching(/^the role reader has rights beyond reading.*large objects.*`autotest doctor`/),
    ])
    for (const statement of statementsOf(found)) {
      expect(statement).toMatch(/^REVOKE EXECUTE ON FUNCTION .* FROM PUBLIC;$/)
      await postgres.run(statement)
    }
    expect(await open()).toEqual({ notes: [], found: undefined })
  })

  it('what this role alone may do is taken from it', async () => {
    await postgres.run(`GRANT pg_signal_backend TO reader; CREATE EXTENSION dblink; REVOKE EXECUTE ON ALL FUNCTIONS IN SCHEMA public FROM PUBLIC;
      GRANT EXECUTE ON FUNCTION dblink(text, text), pg_read_file(text) TO reader`)
    const { found } = await open()
    expect(statementsOf(found)).toEqual([
      'REVOKE EXECUTE ON FUNCTION pg_read_file(text) FROM reader;',
      'REVOKE EXECUTE ON FUNCTION dblink(text,text) FROM reader;',
      'REVOKE pg_signal_backend FROM reader;',
    ])
    for (const statement of statementsOf(found)) await postgres.run(statement)
    expect((await open()).found).toBeUndefined()
  })

  it('doctor lists the statements', async () => {
    await postgres.run('GRANT pg_signal_backend TO reader')
    const dir = smallProject({ 'autotest.config.yaml': `engine: postgres:${postgres.address()}\n` })
    expect(await finding('engine', dir)).toMatchObject({
      status: 'note',
      detail: expect.stringMatching(
        /answers SELECT 1; .*could|rights beyond reading.*sessions of other roles/,
      ),
      fix: expect.stringMatching(/\nREVOKE pg_signal_backend FROM reader;/),
    })
  })
})

describe('MariaDB', needsMariaDb, () => {
  it('rights beyond SELECT are named, and the statements take them away', async () => {
    await mariaDb.run(["GRANT INSERT, EXECUTE ON shop.* TO reader@'127.0.0.1'"])
    const open = async (): Promise<string[]> => {
      const found: RoleRights[] = []
      const onRights = (rights: RoleRights): void => void found.push(rights)
      await (await mysqlKind.open(mariaDb.address(), { ...options, onRights })).close()
      return statementsOf(found[0])
    }
    const statements = await open()
    expect(statements).toEqual(["REVOKE INSERT, EXECUTE ON `shop`.* FROM 'reader'@'127.0.0.1';"])
    await mariaDb.run(statements)
    expect(await open()).toEqual([])
  })
})

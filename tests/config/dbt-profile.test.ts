import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readDbtProfile } from '../../src/config/dbt-profile.js'
import { bigqueryKind, databricksKind, snowflakeKind } from '../../src/engine/server/cloud-services.js'

const root = mkdtempSync(join(tmpdir(), 'autotest-dbt-'))
afterAll(() => rmSync(root, { recursive: true, force: true }))
writeFileSync(
  join(root, 'profiles.yml'),
  `config: { send_anonymous_usage_stats: false }
shop:
  target: "{{ env_var('DBT_TARGET', 'dev') }}"
  outputs:
    dev: { type: postgres, host: db.example.com, user: "reader@corp", password: "{{ env_var('DBT_PASSWORD') }}", port: 5433, dbname: shop, schema: public, threads: 4, sslmode: verify-full }
    my: { type: mysql, server: db, port: 3307, username: reader, password: p, schema: shop }
    lake: { type: trino, host: t.example.com, port: 443, user: me, database: hive, schema: shop, method: jwt, jwt_token: j, http_scheme: https }
    snow: { type: snowflake, account: org-acc, user: me, role: r, warehouse: w, database: D, schema: S, private_key_path: k.p8, private_key_passphrase: pp }
    big: { type: bigquery, method: service-account, project: p-1, dataset: sales, location: EU, keyfile: key.json, maximum_bytes_billed: 1000 }
    bricks: { type: databricks, host: adb.net, http_path: /sql/1.0/warehouses/w1, catalog: main, schema: s, token: t }
    duck: { type: duckdb, path: data/shop.duckdb }
    odd: { type: oracle }
    jinja: { type: postgres, host: "{% if x %}a{% endif %}" }
`,
)
const read = (name: string, env: Record<string, string> = { DBT_PASSWORD: 'secret' }) =>
  readDbtProfile(name, root, env)

describe('a profile of dbt', () => {
  it.each([
    [
      'shop',
      'postgres://reader%40corp@db.example.com:5433/shop?sslmode=verify-full',
      { PGPASSWORD: 'secret' },
    ],
    ['shop/my', 'mysql://reader@db:3307/shop', { MYSQL_PWD: 'p' }],
    ['shop/lake', 'trino://me@t.example.com:443/hive/shop', { TRINO_TOKEN: 'j' }],
    [
      'shop/snow',
      'snowflake://me@org-acc/D/S?warehouse=w&role=r&private_key_file=k.p8',
      { SNOWFLAKE_PRIVATE_KEY_PASSPHRASE: 'pp' },
    ],
    ['shop/big', 'bigquery://p-1/sales?location=EU&maximum_bytes_billed=1000&credentials_file=key.json', {}],
    ['shop/bricks', 'databricks://adb.net/main/s?warehouse=w1', { DATABRICKS_TOKEN: 't' }],
    ['shop/duck', 'duckdb:data/shop.duckdb', {}],
  ])('%s', async (name, engine, env) => {
    expect(await read(name)).toEqual({ engine, env })
  })

  it.each([
    ['shop/snow', snowflakeKind, /k\.p8 cannot be read/],
    ['shop/big', bigqueryKind, /key\.json cannot be read/],
    ['shop/bricks', databricksKind, /ENOTFOUND|unknown|no token|host/],
  ])('%s is an address that its engine reads', async (name, kind, message) => {
    const { engine, env } = await read(name)
    const location = engine.slice(engine.indexOf(':') + 1)
    await expect(kind.open(location, { root, concurrency: 1, memoryBytes: 4e8, env })).rejects.toThrow(
      message,
    )
  })

  it.each([
    ['nope', {}, /no profile nope/],
    ['shop/prod', {}, /no target prod/],
    ['shop', { DBT_TARGET: 'gone' }, /no target gone/],
    ['shop', {}, /the environment variable DBT_PASSWORD is not set/],
    ['shop/odd', {}, /the type oracle/],
    ['shop/jinja', {}, /an expression is not known/],
    ['__proto__', {}, /no profile/],
  ])('%s with %j says what is wrong', async (name, env, message) => {
    await expect(read(name, env as Record<string, string>)).rejects.toThrow(message)
  })

  it('without a file its places are named', async () => {
    await expect(
      readDbtProfile('shop', root, { DBT_PROFILES_DIR: join(root, 'none') }),
    ).rejects.toMatchObject({
      code: 'config_invalid',
      message: expect.stringMatching(/no profiles\.yml in .*none/),
    })
  })
})

import { describe, expect, it } from 'vitest'
import { refusalByFunction } from '../../../../src/engine/child/duckdb/refused-functions.js'

describe('a statement is refused', () => {
  it.each([
    'SELECT * FROM duckdb_secrets()',
    'select secret_string from DuckDB_Secrets ( )',
    'SELECT * FROM "duckdb_secrets"()',
    'WITH a AS (SELECT * FROM duckdb_settings()) SELECT * FROM a',
    "SELECT * FROM which_secret('s3://x', 's3')",
    'SELECT * FROM pragma_database_list',
    "SELECT * FROM query('SELECT * FROM duckdb_secrets()')",
    "SELECT * FROM query('SELECT * FROM duckdb_' || 'secrets()')",
    "SELECT '--', * FROM duckdb_secrets()",
    "SELECT '/*', * FROM duckdb_secrets() -- */",
    "SELECT 'it''s' FROM duckdb_secrets()",
    `SELECT value AS "'" FROM duckdb_settings() AS "t'"`,
    "SELECT $$'$$, * FROM duckdb_settings() AS t WHERE 1 <> $$'$$",
    String.raw`SELECT E'\'', * FROM duckdb_settings() -- '`,
    "SELECT 1 -- '\rFROM duckdb_settings() -- '",
    "/* /* */ ' */ SELECT * FROM duckdb_settings() /* ' */",
    "SELECT * FROM 'duckdb_settings'()",
    'SELECT * FROM query($$SELECT * FROM duckdb_settings()$$)',
    "SELECT * FROM json_execute_serialized_sql(json_serialize_sql('SELECT ' || '1'))",
  ])('%s', (sql) => {
    expect(refusalByFunction(sql)).toBeDefined()
  })
})

describe('a statement is not refused', () => {
  it.each([
    "SELECT 'duckdb_secrets()'",
    'SELECT 1 -- duckdb_secrets()',
    'SELECT 1 /* duckdb_settings() */',
    'SELECT secret FROM my_duckdb_secrets_list',
    "SELECT * FROM query('SELECT 1')",
    'SELECT query FROM searches WHERE query IS NOT NULL',
    "SELECT * FROM query_table('t')",
  ])('%s', (sql) => {
    expect(refusalByFunction(sql)).toBeUndefined()
  })
})

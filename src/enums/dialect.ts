/** SQL dialects by the names that users write in benchmarks, configuration and flags. */
export const dialects = [
  'ansi',
  'sqlite',
  'postgres',
  'mysql',
  'trino',
  'presto',
  'duckdb',
  'bigquery',
  'snowflake',
  'spark',
  'redshift',
] as const

export type Dialect = (typeof dialects)[number]

export function isDialect(name: string): name is Dialect {
  return (dialects as readonly string[]).includes(name)
}

// Holds a database so that nobody else can read it, until its standard input ends: node hold-database.js duckdb|sqlite FILE
const [engine, file] = process.argv.slice(2)
const release = await { duckdb, sqlite }[engine]()
console.log('held')
process.stdin.resume().on('end', release)

async function duckdb() {
  const { DuckDBInstance } = await import('@duckdb/node-api')
  const instance = await DuckDBInstance.create(file)
  const connection = await instance.connect()
  return () => {
    connection.closeSync()
    instance.closeSync()
  }
}

async function sqlite() {
  const { Sqlite } = await import('../../build/modules/platform/sqlite.js')
  const database = new Sqlite(file)
  database.exec('BEGIN EXCLUSIVE')
  return () => database.close()
}

// What packed-install.js runs the installed program on, and how large an installation is.
import { lstatSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

const files = {
  'autotest.config.yaml': 'engine: sqlite:shop.sqlite\nfixture: shop.sql\nas_of: 2025-12-31\n',
  'shop.sql': `CREATE TABLE orders (id INTEGER PRIMARY KEY, market TEXT, day TEXT, amount REAL);
INSERT INTO orders VALUES (1, 'ID', '2025-11-03', 12.5), (2, 'TH', '2025-11-04', 8), (3, 'ID', '2025-12-01', 3);
`,
  'benchmarks/gmv.yaml': `cases:
  - id: gmv_id
    question: ID GMV in November 2025
    expected_sql: SELECT sum(amount) AS gmv FROM orders WHERE market = 'ID' AND day BETWEEN '2025-11-01' AND '2025-11-30'
`,
  'kb/metrics/gmv.yaml': `metric: gmv
aliases: [GMV]
snippet: gmv.sql
parameters:
  market: { type: enum, values: { ID: [Indonesia], TH: [Thailand] } }
  period: { type: date_range }
`,
  'kb/snippets/gmv.sql': `SELECT sum(amount) AS gmv FROM orders
WHERE market = {{ market }} AND day BETWEEN {{ period.start }} AND {{ period.end }}
`,
}

export function writeSmallProject(dir) {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(dir, path)), { recursive: true })
    writeFileSync(join(dir, path), text)
  }
}

/** What a folder takes on disk, in MiB as `du` counts; files of several names count once. */
export function megabytes(dir) {
  const seen = new Set()
  let blocks = 0
  const add = (path) => {
    const status = lstatSync(path)
    if (seen.has(status.ino)) return
    seen.add(status.ino)
    blocks += status.blocks
    if (status.isDirectory()) for (const name of readdirSync(path)) add(join(path, name))
  }
  add(dir)
  return Math.ceil((blocks * 512) / 2 ** 20)
}

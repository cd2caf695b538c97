const { readdirSync } = require('node:fs')
const { join } = require('node:path')

// The import order of the house: a room may import only rooms to its right.
// Rooms in one inner list never import each other.
const order = [
  ['cli'],
  ['app'],
  ['report', 'git'],
  ['domains', 'audit', 'lint'],
  ['repair'],
  ['run'],
  ['store'],
  ['compare'],
  ['agent'],
  ['testgen'],
  ['roles'],
  ['subagent'],
  ['kb'],
  ['contracts'],
  ['llm', 'engine'],
  ['edit'],
  ['sql', 'benchmark', 'config'],
  ['sql-text'],
  ['snapshot', 'sandbox'],
  ['platform', 'text', 'enums'],
]

/** What every kind of case goes through knows nothing of SQL, of a knowledge format, or of YAML. */
const domainNeutral = ['repair', 'run', 'report', 'store', 'contracts']

/**
 * Floors inside a room, from the top: its folders and its loose files, each of which may import only itself and what is
 * on a lower floor. Entries of one floor never import each other. Every entry of the room is on one floor.
 */
const floors = {
  app: [
    ['mcp'],
    ['serve'],
    ['gates'],
    ['merge', 'repairs'],
    ['run'],
    ['export', 'registry', 'tdd'],
    ['checks', 'compare', 'doctor', 'init', 'roles', 'testgen'],
    ['compose.ts'],
    ['models', 'project'],
    ['demo', 'engine-pool.ts', 'engine-registry.ts', 'exit-code.ts', 'scheduled-agent.ts', 'with-closing.ts'],
  ],
  kb: [
    ['parse.ts'],
    ['all-formats.ts', 'default-format.ts'],
    ['markdown', 'native', 'pairs'],
    ['knowledge-adapter.ts'],
    ['question-entries.ts'],
    ['nearest'],
    ['claims', 'interpret-question.ts', 'search.ts'],
    ['parameter-values.ts', 'snippet-check.ts', 'question-examples.ts'],
    ['render-snippet.ts'],
    ['find-periods.ts', 'replace-value.ts'],
    ['period', 'words'],
    ['entry-slots.ts', 'question-interpretation.ts', 'quoted-regions.ts'],
    ['entry.ts'],
    ['entries'],
    ['note-queries.ts'],
  ],
  repair: [
    ['loop.ts'],
    ['try-plan.ts'],
    ['record'],
    ['decide'],
    ['verify'],
    ['validate'],
    ['propose'],
    ['diagnose'],
    ['model'],
  ],
  compare: [
    ['score-sql.ts'],
    ['score-pair.ts'],
    ['judge', 'copies'],
    ['verdict', 'order'],
    ['outcomes'],
    ['inside'],
    ['results'],
    ['columns'],
    ['rows'],
    ['stored-values.ts'],
    ['cells', 'engine-schema.ts', 'query-dialects.ts'],
    ['model'],
  ],
  engine: [
    ['metered-engine.ts', 'open-engine.ts', 'file', 'http', 'server'],
    ['copies'],
    ['pool'],
    ['child'],
    ['fuzz'],
    ['query'],
    ['contract'],
  ],
  'engine/child': [
    ['main.ts', 'server-main.ts'],
    ['bigquery', 'databricks', 'duckdb', 'mysql', 'postgres', 'snowflake', 'sqlite', 'trino'],
    [
      'idle-connections.ts',
      'import-driver.ts',
      'run-on-connection.ts',
      'scratch-tables.ts',
      'server-connection.ts',
      'service',
    ],
    ['parent-watch.ts', 'server-protocol.ts'],
    ['protocol.ts', 'request-clock.ts'],
    ['packed-outcome.ts'],
  ],
  'domains/sql': [
    ['repair'],
    ['case-recorder.ts', 'evaluator.ts', 'renamed-names.ts'],
    ['sql-domain-types.ts'],
  ],
  'domains/sql/repair': [
    ['repair-sql.ts'],
    ['sql-repair.ts'],
    ['relate-diagnoses.ts'],
    ['record'],
    ['decide'],
    ['verify'],
    ['validate'],
    ['propose'],
    ['diagnose'],
    ['model'],
  ],
  'domains/sql/repair/propose': [['search'], ['rules', 'git-restore', 'llm']],
  'domains/sql/repair/diagnose': [
    ['diagnose.ts', 'conflicting-claims.ts', 'diagnosis-still-valid.ts', 'shared-texts.ts'],
    ['metadata-changes.ts'],
    ['metadata-changes'],
  ],
  'domains/sql/repair/verify': [
    ['minimize', 'counterexample-values.ts', 'edited-entries.ts'],
    ['score-knowledge-query.ts', 'twins'],
  ],
  'domains/sql/repair/decide': [
    ['single-example-checks.ts', 'structural-equality.ts', 'seen-only-on-copies.ts'],
    ['single-example-checks'],
  ],
  cli: [
    ['main.ts'],
    ['start.ts'],
    ['program.ts'],
    ['guard-commands.ts', 'runs-commands.ts', 'tdd-commands.ts', 'testgen-commands.ts'],
    ['commands', 'usage-error.ts'],
    ['compare', 'doctor', 'install-sqlite.ts', 'run', 'serve-streams.ts', 'store-flags.ts', 'testgen'],
    ['check-output.ts', 'request-from-flags.ts'],
    ['agent-flags.ts', 'check-flags.ts', 'command-context.ts', 'kb-check-flags.ts', 'tdd-flags.ts'],
    [
      'demo-flags.ts',
      'init-flags.ts',
      'display-path.ts',
      'flags.ts',
      'render-error.ts',
      'testgen-flags.ts',
      'waiting-status.ts',
    ],
    ['terminal.ts'],
    ['budget-flags.ts', 'help', 'interrupt.ts', 'model-flags.ts'],
  ],
}

const forbidden = []
order.forEach((rooms, level) => {
  for (const room of rooms) {
    const allowed = [room, ...order.slice(level + 1).flat()]
    forbidden.push({
      name: `${room}-imports-right-only`,
      severity: 'error',
      from: { path: `^src/${room}/` },
      to: { path: '^src/[^/]+/', pathNot: `^src/(${allowed.join('|')})/` },
    })
  }
})

checkComplete('', [...order.flat(), 'index.ts', 'errors.ts'])
for (const [room, levels] of Object.entries(floors)) {
  checkComplete(room, levels.flat())
  levels.forEach((entries, level) => {
    for (const entry of entries) {
      const allowed = [entry, ...levels.slice(level + 1).flat()].map(pattern)
      forbidden.push({
        name: `${room}-${entry}-imports-lower-floors-only`,
        severity: 'error',
        from: { path: `^src/${room}/${pattern(entry)}` },
        to: { path: `^src/${room}/`, pathNot: `^src/${room}/(${allowed.join('|')})` },
      })
    }
  })
}

forbidden.push({
  name: 'what-every-domain-goes-through-knows-none',
  severity: 'error',
  from: { path: `^src/(${domainNeutral.join('|')})/` },
  to: { path: '^src/(sql|kb|domains|config)/|node_modules/(yaml|node-sql-parser)/' },
})

forbidden.push({
  name: 'sql-is-imported-through-its-index',
  severity: 'error',
  from: { path: '^src/', pathNot: '^src/sql/' },
  to: { path: '^src/sql/', pathNot: '^src/sql/index\\.ts$' },
})
forbidden.push({
  name: 'repair-knows-no-format-of-knowledge',
  severity: 'error',
  from: { path: '^src/(repair|domains)/' },
  to: { path: '^src/(kb/native|edit/yaml|snapshot/yaml)|node_modules/yaml/' },
})

/** A regular expression for a folder of a room, or for a loose file. */
function pattern(entry) {
  return entry.endsWith('.ts') ? `${entry.replace('.', '\\.')}$` : `${entry}/`
}

/** An entry that is on no floor would be held to none. */
function checkComplete(room, listed) {
  const found = readdirSync(join(__dirname, 'src', room))
  const wrong = [
    ...found.filter((entry) => !listed.includes(entry)).map((entry) => `${entry} is on no floor`),
    ...listed.filter((entry) => !found.includes(entry)).map((entry) => `${entry} does not exist`),
  ]
  if (wrong.length > 0) throw new Error(`.dependency-cruiser.cjs, floors of src/${room}: ${wrong.join(', ')}`)
}

/** A package may be imported in its rooms (folders, or a file) only. */
const packageRooms = {
  'better-sqlite3': ['platform'],
  '@duckdb/node-api': ['engine'],
  '@streamparser/json': ['engine'],
  openai: ['llm'],
  '@huggingface/jinja': ['subagent'],
  'node-sql-parser': ['sql'],
  '@polyglot-sql/sdk': ['sql'],
  yargs: ['cli'],
}
for (const [name, rooms] of Object.entries(packageRooms)) {
  forbidden.push({
    name: `${name}-stays-in-its-room`,
    severity: 'error',
    from: { path: '^src/', pathNot: `^src/(${rooms.join('|')})(/|\\.ts$)` },
    to: { path: `node_modules/${name.replace('/', '\\/')}/` },
  })
}

module.exports = {
  forbidden: [
    ...forbidden,
    { name: 'no-circular', severity: 'error', from: {}, to: { circular: true } },
    { name: 'leaf-errors', severity: 'error', from: { path: '^src/errors.ts$' }, to: { path: '^src/' } },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'types', 'default'],
    },
  },
}

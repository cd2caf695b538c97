// The import order of the house: a room may import only rooms to its right.
// Rooms in one inner list never import each other.
const order = [
  ['cli'],
  ['app'],
  ['report', 'git'],
  ['repair', 'audit', 'lint'],
  ['run'],
  ['store'],
  ['compare'],
  ['agent'],
  ['subagent'],
  ['kb'],
  ['llm', 'engine'],
  ['edit'],
  ['sql', 'benchmark', 'config'],
  ['snapshot'],
  ['platform', 'text', 'enums'],
]

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

/** A package may be imported in its rooms (folders, or a file) only. */
const packageRooms = {
  'better-sqlite3': ['platform'],
  '@duckdb/node-api': ['engine'],
  '@streamparser/json': ['engine'],
  openai: ['llm'],
  '@huggingface/jinja': ['subagent'],
  'simple-git': ['git'],
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

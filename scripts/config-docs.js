// Writes docs/configuration.md: keys, types and meanings from the schema of the configuration file, defaults from what
// loading a file without them gives, examples from scripts/config-example.yaml. With --check it only says whether the
// page is up to date.
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse, stringify } from 'yaml'
import { z } from 'zod'
import { loadConfig } from '../build/modules/config/load.js'
import { configFile } from '../build/modules/config/schema.js'

const page = new URL('../docs/configuration.md', import.meta.url)
const exampleText = await readFile(new URL('config-example.yaml', import.meta.url), 'utf8')
const example = parse(exampleText)

/** A complete agent of each kind, as a user would write it. */
const agents = [
  { kind: 'template' },
  { kind: 'knowledge' },
  { kind: 'module', path: 'agents/mine.mjs', deterministic: true },
  {
    kind: 'command',
    run: ['python3', 'agents/mine.py'],
    timeout: '30s',
    deterministic: true,
    env: ['MY_API_KEY'],
  },
  {
    kind: 'http',
    url: 'https://agent.example.com/ask',
    timeout: '30s',
    deterministic: true,
    token_env: 'AGENT_TOKEN',
  },
  { kind: 'llm', definition: 'sql.yaml', entries: 8, error_turn: false, deterministic: true },
  { kind: 'subagent', definition: 'test/test_subagent.yaml', model: 'rules' },
]

/** Where the loaded configuration holds what a key says, for keys that have a default. */
const defaults = {
  benchmarks: (config) => config.benchmarks,
  kb: (config) => config.kb,
  agents: (config) => config.agents,
  engine_token_env: (config) => config.engineTokenEnv,
  agent: (config) => config.agent,
  'tests.project': (config) => config.tests.project,
  'tests.seconds': (config) => config.tests.seconds,
  'tests.min_mutation_score': (config) => config.tests.minMutationScore,
  'scoring.policy': (config) => config.scoring.policy,
  'scoring.tolerance': (config) => config.scoring.tolerance,
  'scoring.fuzz': (config) => config.scoring.fuzz,
  'scoring.seed': (config) => config.scoring.seed,
  'limits.concurrency': (config) => config.limits.concurrency,
  'limits.query_timeout': (config) => config.limits.queryTimeoutMs,
  'limits.rows': (config) => config.limits.rows,
  'limits.bytes': (config) => config.limits.bytes,
  'limits.memory': (config) => config.limits.memoryBytes,
  'limits.agent_timeout': (config) => config.limits.agentTimeoutMs,
  'repair.max_retries': (config) => config.repair.maxRetries,
  'repair.min_grade': (config) => config.repair.minGrade,
  'repair.show_expected': (config) => config.repair.showExpected,
  'budget.time': (config) => config.budget.timeMs ?? null,
  'budget.llm_calls': (config) => config.budget.calls ?? null,
  'budget.tokens': (config) => config.budget.tokens ?? null,
  'budget.cost': (config) => config.budget.cost ?? null,
  'llm.base_url': (config) => config.llm.roles.sql.endpoint.baseUrl,
  'llm.timeout': (config) => config.llm.roles.sql.timeoutMs,
  'llm.roles.ROLE.definition': (config) => config.llm.roles.sql.definition.replace(/^sql/, 'ROLE'),
  'llm.roles.ROLE.max_tokens': (config) => config.llm.roles.sql.maxTokens,
}

/** The flag of `autotest` that overrides a key for one run. */
const flags = {
  benchmarks: 'benchmark',
  kb: 'kb',
  engine: 'engine',
  agent: 'agent',
  'tests.python': 'python',
  'scoring.policy': 'policy',
  'scoring.fuzz': 'fuzz',
  'scoring.seed': 'seed',
  'limits.concurrency': 'concurrency',
  'repair.max_retries': 'max-retries',
  'repair.min_grade': 'min-grade',
  'repair.repairer': 'repairer',
  'budget.time': 'max-time',
  'budget.scan': 'max-scan',
  'budget.llm_calls': 'max-llm-calls',
  'budget.tokens': 'max-tokens',
  'budget.cost': 'max-cost',
}

const schema = z.toJSONSchema(configFile, { io: 'input' })
// What a key takes before it is checked for its kind is all that the JSON schema of `agent` shows.
const agentKinds = z.toJSONSchema(configFile.shape.agent.unwrap().out, { io: 'input' }).oneOf

const loaded = await loadedConfig('{}')
await loadedConfig(exampleText)

const text = `# Configuration

<!-- Made by \`npm run docs\` from the schema of the configuration file; do not edit. -->

\`autotest.config.yaml\` is looked for in the working folder and in the folders above it; its folder is the project. Without
a file every key has its default. A flag overrides its key for one run. \`--config FILE\` names another file.

A key that does not exist, and a value that is not allowed, end the run with exit code 2 and the place in the file. Secrets
do not belong in the file: keys that end in \`_env\` name the environment variable that holds one.

## A complete file

It has every key; a file of your own needs only those whose default does not fit.

\`\`\`yaml
${exampleText.trimEnd()}
\`\`\`

## Types

| type | written |
|---|---|
| duration | a number with its unit: \`500ms\`, \`30s\`, \`10m\`, \`1.5h\` |
| size | a number with its unit: \`64MB\`, \`1GB\` (powers of 1000), \`512MiB\` (powers of 1024) |
| date | \`2025-12-31\` |

## Keys

${table('', schema)}

## \`agent\`

One of seven kinds; [agents.md](agents.md) describes what each is asked and how it answers. The default is
\`${flow(defaults.agent(loaded))}\`.

${(await Promise.all(agentKinds.map(agentSection))).join('\n\n')}

## \`tests\`

${table('tests', schema.properties.tests)}

## \`scoring\`

${table('scoring', schema.properties.scoring)}

## \`limits\`

${table('limits', schema.properties.limits)}

## \`repair\`

${table('repair', schema.properties.repair)}

## \`budget\`

${table('budget', schema.properties.budget)}

## \`llm\`

${table('llm', schema.properties.llm)}

### \`llm.roles.ROLE\`

ROLE is ${oneOf(schema.properties.llm.properties.roles.propertyNames.enum)}. A role with a \`base_url\` is sent nothing that
\`llm\` says of its own endpoint: no key, no headers, no query. Without one, its headers and query are added to those of \`llm\`.

${table('llm.roles.ROLE', schema.properties.llm.properties.roles.additionalProperties, example.llm.roles.sql)}

### \`llm.prices.MODEL\`

${table('llm.prices.MODEL', schema.properties.llm.properties.prices.additionalProperties, example.llm.prices['gpt-5-mini'])}
`
if (!process.argv.includes('--check')) await writeFile(page, text)
else if ((await readFile(page, 'utf8').catch(() => '')) !== text) {
  process.stderr.write('docs/configuration.md is not what the schema says: npm run docs\n')
  process.exitCode = 1
}

/** The configuration that a file of this text gives. */
async function loadedConfig(fileText) {
  const dir = await mkdtemp(join(tmpdir(), 'autotest-docs-'))
  try {
    await writeFile(join(dir, 'autotest.config.yaml'), fileText)
    return await loadConfig({ cwd: dir })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function agentSection(kind) {
  const name = kind.properties.kind.const
  const whole = agents.find((agent) => agent.kind === name)
  await loadedConfig(stringify({ agent: whole }))
  const keys = Object.keys(kind.properties).length > 1 ? `\n\n${table(`agent.${name}`, kind, whole)}` : ''
  return `### \`kind: ${name}\`\n\n\`\`\`yaml\nagent: ${flow(whole)}\n\`\`\`${keys}`
}

/** One row a key: what it takes, what it is without being named, what it means, how it is written. */
function table(path, { properties, required = [] }, examples = path === '' ? example : example[path]) {
  const rows = Object.entries(properties).flatMap(([key, property]) => {
    if (path.startsWith('agent.') && key === 'kind') return []
    const whole = path === '' ? key : `${path}.${key}`
    const flag = flags[whole] === undefined ? '' : ` Flag \`--${flags[whole]}\`.`
    const { description } = property
    if (description === undefined) throw new Error(`${whole} has no description`)
    if (examples[key] === undefined) throw new Error(`scripts/config-example.yaml lacks ${whole}`)
    const cells = [
      `\`${key}\``,
      typeOf(property),
      required.includes(key) ? 'required' : defaultOf(whole, property),
      `${description}${flag}`,
      exampleOf(examples[key]),
    ]
    return [`| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`]
  })
  return ['| key | type | default | meaning | example |', '|---|---|---|---|---|', ...rows].join('\n')
}

function typeOf(property) {
  if (property.title !== undefined) return property.title
  if (property.enum !== undefined) return oneOf(property.enum)
  if (property.anyOf !== undefined) return property.anyOf.map(typeOf).join(' or ')
  if (property.type === 'array') return `list of ${oneOfItems(property.items)}`
  if (property.type === 'integer') return `whole number${rangeOf(property)}`
  if (property.type === 'number') return `number${rangeOf(property)}`
  if (property.type === 'string') return 'text'
  if (property.type === 'boolean') return '`true` or `false`'
  if (property.type === 'null') return '`null`'
  return 'map'
}

function oneOfItems(items) {
  return items.enum === undefined ? 'texts' : oneOf(items.enum)
}

function oneOf(values) {
  const quoted = values.map((value) => `\`${value}\``)
  return `${quoted.slice(0, -1).join(', ')} or ${quoted.at(-1)}`
}

function rangeOf({ minimum, maximum, exclusiveMaximum }) {
  const most = maximum === Number.MAX_SAFE_INTEGER ? undefined : maximum
  if (most !== undefined) return `, ${minimum} to ${most}`
  if (exclusiveMaximum !== undefined) return `, from ${minimum} to below ${exclusiveMaximum}`
  return `, at least ${minimum}`
}

function defaultOf(path, property) {
  if (property.default !== undefined) return exampleOf(property.default)
  const read = defaults[path]
  if (read === undefined) return '–'
  const value = read(loaded)
  if (value === null) return 'no limit'
  if (property.title === 'duration') return `\`${durationText(value)}\``
  if (property.title === 'size') return `\`${sizeText(value)}\``
  return exampleOf(value)
}

function durationText(ms) {
  if (ms % 60_000 === 0) return `${ms / 60_000}m`
  return ms % 1000 === 0 ? `${ms / 1000}s` : `${ms}ms`
}

function sizeText(bytes) {
  return bytes % 1e9 === 0 ? `${bytes / 1e9}GB` : `${bytes / 1e6}MB`
}

/** Larger parts have their own place on the page. */
function exampleOf(value) {
  const written = flow(value)
  return written.length > 60 ? 'see above' : `\`${written}\``
}

/** YAML on one line. */
function flow(value) {
  return stringify(value, { collectionStyle: 'flow', lineWidth: 0, flowCollectionPadding: true }).trim()
}

import { Environment, Interpreter, Template } from '@huggingface/jinja'
import { AutotestError, messageOf } from '../errors.js'
import { nearest } from '../text/nearest-word.js'
import { findUnknownAttribute } from './template-attributes.js'
import {
  findAttributeLine,
  findSyntaxErrorLine,
  findVariableLine,
  formatLocation,
  type TemplateLocation,
} from './template-locations.js'

interface ParsedTemplate {
  readonly template: Template
  readonly used: ReadonlySet<string>
  /** Of those, names that neither it nor every template declares. */
  readonly unknown: ReadonlySet<string>
  /** The last variables and the rendered result. */
  last?: { readonly variables: Readonly<Record<string, unknown>>; readonly text: string }
}

const parsed = new Map<string, ParsedTemplate>()

/** Names that every template has. */
const builtIn: ReadonlySet<string> = new Set([
  'loop',
  'true',
  'false',
  'none',
  'True',
  'False',
  'None',
  'range',
  'namespace',
])

/**
 * Renders a Jinja template. Throws `AutotestError('agent_invalid')` if it cannot be parsed or uses a missing
 * variable.
 */
export function renderTemplate(
  text: string,
  variables: Readonly<Record<string, unknown>>,
  place: TemplateLocation,
): string {
  checkTemplate(text, Object.keys(variables), place)
  const found = parse(text, place)
  // Each given variable is converted to a value of the template language, however large, used or not.
  const used = Object.fromEntries(Object.entries(variables).filter(([name]) => found.used.has(name)))
  // Many templates are rendered repeatedly with the same variables.
  if (found.last !== undefined && sameTexts(found.last.variables, used)) return found.last.text
  try {
    found.last = { variables: used, text: evaluateTemplate(found.template, used) }
    return found.last.text
  } catch (error) {
    const said = messageOf(error)
    // Some errors occur only during rendering; the library names the filter in them.
    const filter = /filter:? (\w+)/.exec(said)?.[1]
    const line = filter === undefined ? undefined : findAttributeLine(text, filter)
    throw new AutotestError('agent_invalid', `${formatLocation(place, line)} cannot be filled in: ${said}`, {
      cause: error,
    })
  }
}

function evaluateTemplate(
  { parsed: program }: Template,
  variables: Readonly<Record<string, unknown>>,
): string {
  const globals = new Environment()
  for (const [name, value] of Object.entries(values)) globals.set(name, value)
  const own = new Environment(globals)
  for (const [name, value] of Object.entries(variables)) own.set(name, value)
  return String(boundedInterpreter(own).run(program).value)
}

/**
 * A prompt about thousands of entries takes some ten thousand steps, one with a large schema thirty thousand.
 */
const maxSteps = 300_000

/** Number of characters of a text whose processing takes about as long as one step. */
const charactersOfStep = 100

/**
 * Creates an interpreter with a step limit: nested loops could block the process indefinitely. A list counts
 * with all its members, as a loop with an empty body evaluates nothing.
 */
function boundedInterpreter(environment: Environment): Interpreter {
  const interpreter = new Interpreter(environment)
  const evaluate: (part: unknown, scope: unknown) => { readonly value?: unknown } =
    interpreter.evaluate.bind(interpreter)
  let steps = 0
  interpreter.evaluate = (part: unknown, scope: unknown): unknown => {
    const result = evaluate(part, scope)
    steps += 1 + stepsOf(result.value)
    if (steps > maxSteps) throw new Error(`it needs more than ${maxSteps} steps`)
    return result
  }
  return interpreter
}

function stepsOf(value: unknown): number {
  if (typeof value === 'string') return value.length / charactersOfStep
  return Array.isArray(value) ? value.length : 0
}

/** Longer lists are in no prompt, and would exhaust Node's memory. */
const maxRangeLength = 10_000

/** Implements `range` of the template language. */
function boundedRange(first: number, stop: number | undefined, step = 1): number[] {
  const [from, to] = stop === undefined ? [0, first] : [first, stop]
  const length = Math.max(0, Math.ceil((to - from) / step))
  if (!(length <= maxRangeLength)) throw new Error(`range() may have ${maxRangeLength} numbers at most`)
  return Array.from({ length }, (_, at) => from + at * step)
}

/** The globals of the library, except an unlimited `range` and a changing date. */
const values = {
  true: true,
  True: true,
  false: false,
  False: false,
  none: null,
  None: null,
  range: boundedRange,
}

/**
 * Reports whether both have the same variables and all of them are texts: other values may have been mutated.
 */
function sameTexts(a: Readonly<Record<string, unknown>>, b: Readonly<Record<string, unknown>>): boolean {
  return Object.entries(b).every(([name, value]) => typeof value === 'string' && a[name] === value)
}

/**
 * Reports whether a template uses a variable. Throws `AutotestError('agent_invalid')` if it cannot be parsed.
 */
export function usesVariable(text: string, name: string, place: TemplateLocation): boolean {
  return parse(text, place).used.has(name)
}

/**
 * Throws `AutotestError('agent_invalid')` for a template that cannot be parsed, or that uses other variables.
 */
export function checkTemplate(text: string, variables: readonly string[], place: TemplateLocation): void {
  const { unknown } = parse(text, place)
  const missing = [...unknown].find((name) => !variables.includes(name))
  if (missing === undefined) return
  const guess = nearest(missing, variables)
  const where = formatLocation(place, findVariableLine(text, missing))
  throw new AutotestError('agent_invalid', `${where}: unknown variable \`${missing}\``, {
    hint:
      guess === undefined
        ? `Variables here: ${variables.join(', ') || 'none'}.`
        : `did you mean \`${guess}\`?`,
  })
}

/**
 * Throws `AutotestError('agent_invalid')` for an attribute that a variable does not have.
 *
 * @param examples example values of the variables
 */
export function checkAttributes(
  text: string,
  examples: Readonly<Record<string, unknown>>,
  place: TemplateLocation,
): void {
  const unknown = findUnknownAttribute(parse(text, place).template.parsed.body, examples)
  if (unknown === undefined) return
  const where = formatLocation(
    place,
    findAttributeLine(text, unknown.text.slice(unknown.text.lastIndexOf('.') + 1)),
  )
  throw new AutotestError('agent_invalid', `${where}: unknown attribute \`${unknown.text}\``, {
    hint: unknown.hint,
  })
}

function parse(text: string, place: TemplateLocation): ParsedTemplate {
  const known = parsed.get(text)
  if (known !== undefined) return known
  try {
    const template = new Template(text)
    const { used, bound } = namesIn(template.parsed)
    const unknown = new Set([...used].filter((name) => !bound.has(name) && !builtIn.has(name)))
    const entry: ParsedTemplate = { template, used, unknown }
    parsed.set(text, entry)
    return entry
  } catch (error) {
    const where = formatLocation(place, findSyntaxErrorLine(text))
    throw new AutotestError('agent_invalid', `${where} is not a valid Jinja template: ${messageOf(error)}`, {
      hint: 'Write variables in {{ }}, statements in {% %}.',
      cause: error,
    })
  }
}

interface Names {
  readonly used: Set<string>
  /** Names declared by a loop, an assignment or a macro. */
  readonly bound: Set<string>
}

function namesIn(tree: unknown): Names {
  const names: Names = { used: new Set(), bound: new Set() }
  collect(tree, names)
  return names
}

/** The fields of a node that are names: of an attribute, a filter, a test, a keyword. */
const notVariables: Readonly<Record<string, string>> = {
  FilterExpression: 'filter',
  FilterStatement: 'filter',
  TestExpression: 'test',
  KeywordArgumentExpression: 'key',
}

const binding: Readonly<Record<string, string>> = { For: 'loopvar', Set: 'assignee', Macro: 'name' }

function collect(node: unknown, names: Names): void {
  if (Array.isArray(node)) for (const each of node) collect(each, names)
  else if (node instanceof Map) for (const entry of node) collect(entry, names)
  else if (typeof node === 'object' && node !== null) collectNode({ ...node }, names)
}

function collectNode(node: Readonly<Record<string, unknown>>, names: Names): void {
  const type = String(node['type'])
  if (type === 'Identifier') {
    names.used.add(String(node['value']))
    return
  }
  for (const [key, part] of Object.entries(node)) {
    if (key === notVariables[type]) collectArguments(part, names)
    else if (key === binding[type] || (type === 'Macro' && key === 'args')) bind(part, names)
    // An operator is a token of the lexer, with a `type` field as well.
    else if (key === 'operator') continue
    else if (type === 'MemberExpression' && key === 'property' && node['computed'] !== true) continue
    else collect(part, names)
  }
}

/** Collects names in `join(separator)`: the filter's name is not a variable, its arguments may be. */
function collectArguments(filter: unknown, names: Names): void {
  if (typeof filter === 'object' && filter !== null && 'args' in filter) collect(filter.args, names)
}

function bind(target: unknown, names: Names): void {
  const own: Names = { used: new Set(), bound: new Set() }
  collect(target, own)
  for (const name of own.used) names.bound.add(name)
}

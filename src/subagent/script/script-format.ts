import { parsePython, type SyntaxNode } from './python-grammar.js'

/** A value that a tool script is given. */
export interface ScriptInput {
  /** Name of the variable in the script. */
  readonly variable: string
  /** Key of the arguments. */
  readonly key: string
  readonly required: boolean
  /** Where its `Input(…)` stands, as offsets into the text, and the source of its default. */
  readonly span: readonly [number, number]
  readonly defaultSource: string | undefined
}

/** A function of the host that a tool script may call. */
export interface ScriptExternal {
  readonly name: string
  /** In order; positional arguments are given their names. */
  readonly parameters: readonly string[]
  readonly isAsync: boolean
  readonly span: readonly [number, number]
  /** Offset of the line of `def`: the decorator stands before it. */
  readonly defStart: number
}

/** A violation of the format, with its place from 1. */
export interface ScriptProblem {
  readonly severity: 'error' | 'warning'
  /** Short name: `import`, `external`, `result`. */
  readonly rule: string
  readonly line: number
  readonly column: number
  readonly message: string
}

export interface ToolScript {
  readonly text: string
  readonly inputs: readonly ScriptInput[]
  readonly externals: readonly ScriptExternal[]
  /** Spans of imports, which the interpreter does not need. */
  readonly imports: readonly (readonly [number, number])[]
  readonly problems: readonly ScriptProblem[]
}

const allowedModules: ReadonlySet<string> = new Set(['grail', 'typing', '__future__'])

/** Statements that the interpreter has not, by the name of their node. */
const forbidden: Readonly<Record<string, string>> = {
  class_definition: 'class',
  yield: 'yield',
  with_statement: 'with',
  match_statement: 'match',
  delete_statement: 'del',
}
/** What works and makes a script hard to check. */
const discouraged: Readonly<Record<string, string>> = {
  lambda: 'lambda',
  global_statement: 'global',
  nonlocal_statement: 'nonlocal',
}

/** Reads a tool script and checks the rules of its format, without running it. */
export async function readToolScript(text: string): Promise<ToolScript> {
  const root = await parsePython(text)
  const problems: ScriptProblem[] = []
  const inputs: ScriptInput[] = []
  const externals: ScriptExternal[] = []
  const imports: (readonly [number, number])[] = []
  const report = (
    node: SyntaxNode,
    rule: string,
    message: string,
    severity: ScriptProblem['severity'] = 'error',
  ) =>
    problems.push({
      severity,
      rule,
      line: node.startPosition.row + 1,
      column: node.startPosition.column + 1,
      message,
    })
  if (root.hasError) {
    const broken = firstError(root) ?? root
    report(broken, 'syntax', broken.isMissing ? `\`${broken.type}\` is missing` : 'this is no Python')
    return { text, inputs, externals, imports, problems }
  }
  for (const node of root.descendantsOfType(Object.keys(forbidden)))
    if (node?.isNamed === true)
      report(node, 'statement', `\`${forbidden[node.type]}\` is not part of the format`)
  for (const node of root.descendantsOfType(Object.keys(discouraged)))
    if (node?.isNamed === true)
      report(
        node,
        'statement',
        `\`${discouraged[node.type]}\` makes a script hard to check: use a function and its result`,
        'warning',
      )
  for (const node of root.descendantsOfType([
    'import_statement',
    'import_from_statement',
    'future_import_statement',
  ]))
    if (node !== null) {
      imports.push([node.startIndex, node.endIndex])
      for (const name of modulesOf(node))
        if (!allowedModules.has(name))
          report(node, 'import', `\`${name}\` cannot be imported: only grail, typing and __future__ can`)
    }
  for (const node of root.descendantsOfType('decorated_definition'))
    if (node !== null) readDecorated(node, root, externals, report)
  for (const node of root.descendantsOfType('call'))
    if (node?.childForFieldName('function')?.text === 'Input') readInput(node, root, inputs, report)
  const names = [...externals.map(({ name }) => name), ...inputs.map(({ variable }) => variable)]
  for (const [at, name] of names.entries())
    if (names.indexOf(name) < at) report(root, 'name', `\`${name}\` is declared twice`)
  const last = root.namedChildren.filter((node) => node !== null && node.type !== 'comment').at(-1)
  const isResult = last?.type === 'expression_statement' && last.namedChild(0)?.type !== 'assignment'
  if (!isResult)
    report(last ?? root, 'result', 'the last statement must be an expression: it is the result of the tool')
  problems.sort((a, b) => a.line - b.line || a.column - b.column)
  return { text, inputs, externals, imports, problems }
}

type Report = (
  node: SyntaxNode,
  rule: string,
  message: string,
  severity?: ScriptProblem['severity'],
) => unknown

function firstError(node: SyntaxNode): SyntaxNode | undefined {
  if (node.isError || node.isMissing) return node
  for (const child of node.children) {
    if (child?.hasError !== true && child?.isMissing !== true) continue
    const found = firstError(child)
    if (found !== undefined) return found
  }
  return undefined
}

function modulesOf(node: SyntaxNode): string[] {
  if (node.type === 'future_import_statement') return ['__future__']
  if (node.type === 'import_from_statement') return [node.childForFieldName('module_name')?.text ?? '']
  return node.namedChildren.flatMap((child) =>
    child === null ? [] : [child.childForFieldName('name')?.text ?? child.text],
  )
}

function readDecorated(
  node: SyntaxNode,
  root: SyntaxNode,
  externals: ScriptExternal[],
  report: Report,
): void {
  const decorators = node.namedChildren.flatMap((child) => (child?.type === 'decorator' ? [child] : []))
  const definition = node.childForFieldName('definition')
  const other = decorators.find((each) => each.text.trim() !== '@external')
  if (other !== undefined) {
    report(other, 'decorator', `${other.text.trim()} would be ignored: only @external is part of the format`)
    return
  }
  if (definition?.type !== 'function_definition') return
  if (node.parent?.id !== root.id) {
    report(node, 'external', 'an @external function must stand at the outermost level')
    return
  }
  const name = definition.childForFieldName('name')?.text ?? ''
  const parameters = readParameters(definition, name, report)
  if (definition.childForFieldName('return_type') === null)
    report(definition, 'external', `${name} has no annotation of what it returns`)
  const body = definition.childForFieldName('body')
  const statements = (body?.namedChildren ?? []).filter((child) => child !== null && child.type !== 'comment')
  const texts = statements.map((child) => child?.namedChild(0)?.type)
  const isStub =
    texts.at(-1) === 'ellipsis' && (texts.length === 1 || (texts.length === 2 && texts[0] === 'string'))
  if (!isStub)
    report(
      body ?? definition,
      'external',
      `${name} must have a body of ... after an optional docstring: the host implements it`,
    )
  const isAsync = definition.children.some((child) => child?.type === 'async')
  externals.push({
    name,
    parameters,
    isAsync,
    span: [node.startIndex, node.endIndex],
    defStart: definition.startIndex,
  })
}

function readParameters(definition: SyntaxNode, name: string, report: Report): string[] {
  const parameters: string[] = []
  for (const child of definition.childForFieldName('parameters')?.namedChildren ?? []) {
    if (child === null || child.type === 'comment' || child.type === 'keyword_separator') continue
    const isTyped = child.type === 'typed_parameter' || child.type === 'typed_default_parameter'
    const own = child.childForFieldName('name')?.text ?? child.namedChild(0)?.text ?? child.text
    if (!isTyped) report(child, 'external', `${own} of ${name} has no annotation`)
    parameters.push(own)
  }
  return parameters
}

function readInput(node: SyntaxNode, root: SyntaxNode, inputs: ScriptInput[], report: Report): void {
  const assignment = node.parent
  const variable = assignment?.childForFieldName('left')
  if (
    assignment?.type !== 'assignment' ||
    variable?.type !== 'identifier' ||
    assignment.parent?.parent?.id !== root.id
  ) {
    report(node, 'input', 'Input(…) must be assigned to a variable at the outermost level')
    return
  }
  if (assignment.childForFieldName('type') === null)
    report(assignment, 'input', `${variable.text} has no annotation`)
  const args = (node.childForFieldName('arguments')?.namedChildren ?? []).flatMap((child) =>
    child === null ? [] : [child],
  )
  const [first, ...rest] = args
  const key = first?.type === 'string' ? /^['"](.*)['"]$/s.exec(first.text)?.[1] : undefined
  if (key === undefined) {
    report(node, 'input', 'the first argument of Input(…) must be the name of the argument, as text')
    return
  }
  const fallback = rest.find((each) => each.childForFieldName('name')?.text === 'default')
  const other = rest.find((each) => each !== fallback)
  if (other !== undefined) report(other, 'input', `Input(…) has no argument \`${other.text}\`: only default=`)
  inputs.push({
    variable: variable.text,
    key,
    required: fallback === undefined,
    span: [node.startIndex, node.endIndex],
    defaultSource: fallback?.childForFieldName('value')?.text,
  })
}

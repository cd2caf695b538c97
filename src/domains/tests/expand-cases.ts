import type { SourceLocation } from '../../benchmark/case.js'
import { type Problem, problemsError } from '../../snapshot/file-problem.js'
import { parsePython, type SyntaxNode } from '../../subagent/script/python-grammar.js'
import { questionOf, type TestsCase } from './tests-case.js'

/**
 * Returns the cases with those that name a file or folder replaced by one for each of its functions, in the order of the
 * files. Throws `benchmark_invalid` for files that are not there. Functions within functions, test files and names that begin with `_` are left out.
 *
 * @param files of the Python project, sorted
 * @param read returns the text of one of them
 */
export async function expandCases(
  cases: readonly TestsCase[],
  files: readonly string[],
  read: (file: string) => Promise<string>,
): Promise<readonly TestsCase[]> {
  const expanded: TestsCase[] = []
  const problems: Problem[] = []
  for (const testCase of cases) {
    problems.push(...absentFiles(testCase, files))
    if (testCase.function !== undefined) {
      expanded.push(testCase)
      continue
    }
    const { file } = testCase
    const found = files.filter(
      (path) => path === file || ((file === '.' || path.startsWith(`${file}/`)) && isSource(path)),
    )
    for (const path of found)
      for (const name of functionNames(await parsePython(await read(path))))
        expanded.push({
          ...testCase,
          id: `${testCase.id}/${path}:${name}`,
          question: questionOf(path, name),
          file: path,
          function: name,
        })
  }
  if (problems.length > 0) throw problemsError('benchmark_invalid', problems)
  return expanded
}

function absentFiles(
  { file, buggy, expectedTests, fileLocation, location }: TestsCase,
  files: readonly string[],
): Problem[] {
  const hint = 'Paths are relative to the Python project (`tests.project` in autotest.config.yaml).'
  const missing = (path: string, at: SourceLocation): Problem => ({
    ...at,
    message: `the Python project has no ${path}`,
    hint,
  })
  const isThere = file === '.' || files.some((path) => path === file || path.startsWith(`${file}/`))
  return [
    ...(isThere ? [] : [missing(file, fileLocation)]),
    ...[buggy, expectedTests].flatMap((path) =>
      path === undefined || files.includes(path) ? [] : [missing(path, location)],
    ),
  ]
}

function isSource(path: string): boolean {
  const name = path.slice(path.lastIndexOf('/') + 1)
  return name.endsWith('.py') && !/^(?:test_.*|.*_test|conftest|setup)\.py$/.test(name)
}

/** Returns the names of the functions and methods of a file that tests can reach. */
function functionNames(node: SyntaxNode, prefix = ''): string[] {
  const names = node.namedChildren.flatMap((child) => {
    const definition = child?.type === 'decorated_definition' ? child.childForFieldName('definition') : child
    const name = definition?.childForFieldName('name')?.text ?? ''
    if (definition?.type === 'function_definition')
      return name.startsWith('_') || isOverload(child) ? [] : [`${prefix}${name}`]
    const body = definition?.type === 'class_definition' ? definition.childForFieldName('body') : null
    return body === null || body === undefined || name.startsWith('_')
      ? []
      : functionNames(body, `${prefix}${name}.`)
  })
  return [...new Set(names)]
}

function isOverload(node: SyntaxNode | null): boolean {
  return (
    node?.type === 'decorated_definition' &&
    /^@(?:typing\.)?overload\b|\.setter\b|\.deleter\b/m.test(node.text)
  )
}

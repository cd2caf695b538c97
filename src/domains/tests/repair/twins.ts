import type { Twin } from '../../../repair/model/repair-domain.js'
import { parsePython } from '../../../subagent/script/python-grammar.js'
import { literalPattern } from '../../../text/literal-pattern.js'
import { questionOf, type TestsCase } from '../tests-case.js'
import type { TestsTypes } from '../tests-domain-types.js'
import type { Probe, ToolCase } from '../tool-case.js'

const suffix = '_twin'

/**
 * Returns cases like the given ones about another function: renamed and in another module, and with another parameter.
 * A tool that was mended for one function fails on them.
 *
 * @param read returns the text of a file of the Python project
 */
export async function twinsOf(
  cases: readonly TestsTypes['case'][],
  read: (file: string) => Promise<string | undefined>,
): Promise<readonly Twin<TestsTypes>[]> {
  const twins: Twin<TestsTypes>[] = []
  for (const each of cases)
    if (each.kind === 'tool') twins.push(...toolTwins(each))
    else twins.push(...(await functionTwins(each, read)))
  return twins
}

function toolTwins(testCase: ToolCase): Twin<TestsTypes>[] {
  const { probe } = testCase
  const renamed = renamedProbe(probe)
  if (JSON.stringify(renamed) === JSON.stringify(probe)) return []
  return [{ parameter: 'name', testCase: { ...testCase, id: `${testCase.id}#name`, probe: renamed } }]
}

/** Returns a probe with its function and its module renamed wherever they stand. */
function renamedProbe(probe: Probe): Probe {
  const { path, function: qualname } = probe.target
  const stem = path.slice(path.lastIndexOf('/') + 1).replace(/\.py$/, '')
  const name = qualname.slice(qualname.lastIndexOf('.') + 1)
  const renamed = (text: string): string =>
    text
      .replaceAll(new RegExp(`\\b${literalPattern(name)}\\b`, 'gu'), `${name}${suffix}`)
      .replaceAll(stem, `${stem}${suffix}`)
  // Written by this program from data without functions, so that its shape stays.
  return mapTexts(probe, renamed) as Probe
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  if (typeof value !== 'object' || value === null) return value
  // Keys of the probe's own format hold no name; those of `files`, `wrote` and `written` are paths.
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [
      /[./]/.test(key) ? change(key) : key,
      mapTexts(each, change),
    ]),
  )
}

async function functionTwins(
  testCase: TestsCase,
  read: (file: string) => Promise<string | undefined>,
): Promise<Twin<TestsTypes>[]> {
  const { file, function: qualname } = testCase
  const source = await read(file)
  if (source === undefined || qualname === undefined) return []
  const moved = file.replace(/\.py$/, `${suffix}.py`)
  const name = qualname.slice(qualname.lastIndexOf('.') + 1)
  const isSpecial = name.startsWith('__')
  const other = isSpecial ? name : `${name}${suffix}`
  const renamed = source.replaceAll(new RegExp(`\\b${literalPattern(name)}\\b`, 'gu'), other)
  const twinName = qualname.slice(0, qualname.length - name.length) + other
  const twin = (parameter: string, text: string): Twin<TestsTypes> => ({
    parameter,
    testCase: {
      ...testCase,
      id: `${testCase.id}#${parameter}`,
      question: questionOf(moved, twinName),
      file: moved,
      function: twinName,
      // They are about another text of the module.
      buggy: undefined,
      expectedTests: undefined,
      overlay: new Map([[moved, text]]),
    },
  })
  const widened = await withParameter(renamed, twinName)
  return [twin('name', renamed), ...(widened === undefined ? [] : [twin('parameters', widened)])]
}

/** Returns the source with one more keyword-only parameter, which the function does not use. */
async function withParameter(source: string, qualname: string): Promise<string | undefined> {
  const name = qualname.slice(qualname.lastIndexOf('.') + 1)
  const root = await parsePython(source)
  const found = root
    .descendantsOfType('function_definition')
    .find((node) => node?.childForFieldName('name')?.text === name)
  const parameters = found?.childForFieldName('parameters')
  if (parameters === undefined || parameters === null || name.startsWith('__')) return undefined
  const kinds = parameters.namedChildren.map((child) => child?.type ?? '')
  const isProperty =
    /^\s*@(?:property|cached_property|functools\.)/m.test(found?.parent?.text ?? '') &&
    found?.parent?.type === 'decorated_definition'
  if (isProperty || kinds.includes('dictionary_splat_pattern')) return undefined
  const hasStar =
    kinds.some(
      (kind) =>
        ['keyword_separator', 'list_splat_pattern', 'typed_parameter'].includes(kind) &&
        /^\*/.test(parameters.namedChildren[kinds.indexOf(kind)]?.text ?? ''),
    ) || /(?:^|[\s,(])\*/.test(parameters.text)
  const inner = parameters.text.slice(1, -1).trim().replace(/,$/, '')
  const added = `${inner === '' ? '' : `${inner}, `}${hasStar ? '' : '*, '}twin_flag: bool = False`
  return `${source.slice(0, parameters.startIndex)}(${added})${source.slice(parameters.endIndex)}`
}

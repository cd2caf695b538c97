import { type Problem, problemsError } from '../snapshot/file-problem.js'
import type { Snapshot } from '../snapshot/snapshot.js'
import { validate } from '../snapshot/validate-schema.js'
import { parseYaml, type YamlFile } from '../snapshot/yaml.js'
import { nearest } from '../text/nearest-word.js'
import { type Guideline, type GuidelineChange, guideline, guidelineChange } from './guideline.js'

/**
 * Reads the guidelines of a folder, in the order of their names: files with all keys, and files that change one of these. Throws
 * `guideline_invalid` with file and line.
 */
export function loadGuidelines(snapshot: Snapshot, folder: string): readonly Guideline[] {
  const known = new Map<string, { readonly guideline: Guideline; readonly file: string }>()
  const changes: { readonly change: GuidelineChange; readonly yaml: YamlFile; readonly file: string }[] = []
  const problems: Problem[] = []
  for (const file of guidelineFiles(snapshot, folder)) {
    // JSON is YAML, so that both tell the place of an error.
    const yaml = parseYaml(snapshot.files.get(file) ?? new Uint8Array(), file, { code: 'guideline_invalid' })
    if (isChange(yaml)) {
      changes.push({ change: validate(guidelineChange, yaml, 'guideline_invalid'), yaml, file })
      continue
    }
    const read = validate(guideline, yaml, 'guideline_invalid')
    const other = known.get(read.id)
    if (other === undefined) known.set(read.id, { guideline: read, file })
    else problems.push(problemAt(yaml, file, ['id'], `${other.file} has this id as well`, undefined))
  }
  for (const { change, yaml, file } of changes) {
    const found = known.get(change.id)
    if (found === undefined) {
      const meant = nearest(change.id, [...known.keys()])
      const hint =
        meant === undefined
          ? 'A guideline of its own needs name, category, priority and action.'
          : `did you mean ${meant}?`
      problems.push(problemAt(yaml, file, ['id'], `there is no guideline "${change.id}" to change`, hint))
      continue
    }
    const merged = merge(found.guideline, change)
    const checked = guideline.safeParse(merged)
    if (checked.success) known.set(change.id, { guideline: checked.data, file: found.file })
    else
      for (const issue of checked.error.issues)
        problems.push(
          problemAt(yaml, file, issue.path, `${issue.path.join('.')}: ${issue.message}`, undefined),
        )
  }
  if (problems.length > 0) throw problemsError('guideline_invalid', problems)
  return [...known.values()].map((each) => each.guideline)
}

function guidelineFiles(snapshot: Snapshot, folder: string): readonly string[] {
  return [...snapshot.files.keys()]
    .filter((path) => path.startsWith(`${folder}/`) && /\.(json|ya?ml)$/.test(path))
    .sort()
}

/** Whether a file only changes a guideline: it says neither what one is called nor what type of action it takes. */
function isChange({ data }: YamlFile): boolean {
  if (typeof data !== 'object' || data === null || 'name' in data) return false
  const action = 'action' in data ? data.action : undefined
  return typeof action !== 'object' || action === null || !('type' in action)
}

function merge({ condition, action, ...rest }: Guideline, change: GuidelineChange): unknown {
  const { condition: conditions, action: actions, ...others } = change
  return { ...rest, ...others, condition: { ...condition, ...conditions }, action: { ...action, ...actions } }
}

function problemAt(
  yaml: YamlFile,
  file: string,
  path: readonly PropertyKey[],
  message: string,
  hint: string | undefined,
): Problem {
  const keys = path.filter((each): each is string | number => typeof each !== 'symbol')
  const { line, column } = yaml.locate(keys)
  return { file, line, column, message, hint }
}

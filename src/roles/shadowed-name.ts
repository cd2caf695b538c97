import { type ImportCandidate, importCandidates, isCompiled, projectModule } from './import-candidates.js'

/** A name that a new file would take over. */
export interface ShadowedName {
  readonly candidate: ImportCandidate
  /** What it is now: a place, or the standard library; undefined where a tool asks for it although it is not there. */
  readonly was: string | undefined
}

/** Asks the project's interpreter which of some names it finds without the project; the first of them. */
export type FindShadowed = (
  root: string,
  candidates: readonly ImportCandidate[],
) => Promise<ShadowedName | undefined>

export interface ShadowQuestion {
  readonly root: string
  /** Of a file that is not there yet, relative to the root. */
  readonly path: string
  /** Where imports begin by the configuration, relative to the root. */
  readonly named: readonly string[]
  /** Folders of the role, as a person named them. */
  readonly given: readonly string[]
  /** Absent: there is no interpreter to ask, and such names cannot be judged. */
  readonly find: FindShadowed | undefined
  /** Whether the sources of the project must not be taken over either: tests would test something else. */
  readonly keepsSources: boolean
  /** Files that are made together with it, relative to the root. */
  readonly made?: ReadonlySet<string> | undefined
}

/** Returns why a new file would be imported in place of something else; undefined if it would not. */
export async function shadowProblem({
  root,
  path,
  named,
  given,
  find,
  keepsSources,
  made,
}: ShadowQuestion): Promise<string | undefined> {
  if (isCompiled(path)) return 'compiled code is loaded in place of the source'
  const candidates = importCandidates(root, path, named, given, made)
  for (const candidate of candidates) {
    const taken =
      keepsSources && candidate.name.length === 1 && !isTest(candidate)
        ? projectModule(root, candidate, named)
        : undefined
    if (taken !== undefined)
      return `"import ${candidate.name[0]}" from ${candidate.folder || 'the root'} would find it in place of ${taken}`
  }
  if (candidates.length === 0) return undefined
  if (find === undefined) return 'there is no interpreter that says what it would be imported in place of'
  const found = await find(root, candidates)
  if (found === undefined) return undefined
  const { candidate, was } = found
  const name = candidate.name.join('.')
  return was === undefined
    ? `"import ${candidate.name[0]}" is tried by pytest and the standard library, and would run it`
    : `"import ${name}" would find it in place of ${was}`
}

/** A module of tests is none that others import: one that moved leaves its name behind. */
function isTest({ name: [top = ''] }: ImportCandidate): boolean {
  return top.startsWith('test_') || top.endsWith('_test')
}

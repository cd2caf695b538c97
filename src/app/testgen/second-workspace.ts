import { posix } from 'node:path'
import { AutotestError } from '../../errors.js'
import { testRun } from '../../testgen/python/worker-results.js'
import { writeWorkspaceFile } from '../../testgen/workspace/workspace-files.js'
import { dropTests, failures, type NewTestFile, runSeconds } from './passing-tests.js'
import type { TestingSession } from './testing-session.js'

/** A new test that was left out, and what it depends on. */
export interface DependentTest {
  readonly name: string
  readonly reason: string
}

/** Ways in which the second workspace differs beside its path and hashes, each with what is said of a test that depends on it. */
const differences = {
  clock: 'the clock',
  environment: 'environment variables, the home or the locale',
  'time zone': 'the time zone',
  arguments: 'the command line (sys.argv)',
  host: 'the name of the host or the number of its processors',
  network: 'what the network answers',
} as const

/** Seeds of hashes beside that of the second workspace. */
const hashSeeds = [1, 2] as const

const all = Object.keys(differences) as (keyof typeof differences)[]

/**
 * Runs new tests in a second workspace, which differs in all that a test must not depend on, and leaves out those that
 * fail there; each with what it depends on.
 */
export async function independentTests(
  file: NewTestFile & { readonly usesHashes: boolean },
  testFile: string,
  session: TestingSession,
): Promise<{ readonly kept: NewTestFile; readonly dependent: readonly DependentTest[] }> {
  const worker = await session.elsewhere()
  const named = namesThatSay(file, foldersOfHere(session))
  let kept: NewTestFile = dropTests(file, named)
  const dependent = named.map((name) => ({
    name,
    reason: 'it names a folder of this machine: of the copy that it was written in, or of the interpreter',
  }))
  for (let revision = 0; kept.names.length > 0 && revision < 3; revision++) {
    await writeWorkspaceFile(worker, testFile, kept.text)
    const failing = new Map((await fromElsewhere(all, 1)) ?? (await failuresWith(all, 1)))
    // Two seeds may give a small set the same order.
    for (const seed of file.usesHashes ? hashSeeds : [])
      for (const [name, message] of await failuresWith([], null, { hashSeed: seed }))
        if (!failing.has(name)) failing.set(name, message)
    if (failing.size === 0) break
    const causes = await causesOf([...failing.keys()])
    dependent.push(
      ...[...failing].map(([name, message]) => ({
        name,
        reason: `it depends on ${causes.get(name) ?? 'where it is run'}: ${message}`,
      })),
    )
    kept = dropTests(kept, [...failing.keys()])
  }
  return { kept, dependent }

  async function failuresWith(
    ways: readonly string[],
    order: number | null,
    { elsewhere = false, hashSeed }: { readonly elsewhere?: boolean; readonly hashSeed?: number } = {},
  ): Promise<readonly (readonly [string, string])[]> {
    const run = await worker.call(
      'run_tests',
      {
        paths: [testFile],
        order,
        seconds: runSeconds,
        differences: ways,
        elsewhere,
        hash_seed: hashSeed ?? null,
      },
      testRun,
      2000 * runSeconds,
    )
    return failures(run, kept.names, testFile)
  }

  /**
   * Returns the tests that fail in another working directory; undefined if none can be collected there: a project whose own
   * files are found from its root alone is run from there by its team.
   */
  async function fromElsewhere(
    ways: readonly string[],
    order: number | null,
  ): Promise<readonly (readonly [string, string])[] | undefined> {
    try {
      return await failuresWith(ways, order, { elsewhere: true })
    } catch (error) {
      if (error instanceof AutotestError && error.code === 'python_failed') return undefined
      throw error
    }
  }

  /** Finds for each test the first difference with which alone it fails. */
  async function causesOf(names: readonly string[]): Promise<ReadonlyMap<string, string>> {
    const causes = new Map<string, string>()
    const isFound = (): boolean => names.every((name) => causes.has(name))
    const note = (failing: readonly (readonly [string, string])[], cause: string): void => {
      for (const [name] of failing) if (!causes.has(name)) causes.set(name, cause)
    }
    note(await failuresWith([], null), 'where the project is, or the order of a set')
    note((await fromElsewhere([], null)) ?? [], 'the working directory')
    for (const way of all) if (!isFound()) note(await failuresWith([way], null), differences[way])
    if (!isFound()) note(await failuresWith([], 1), 'the order of the tests')
    for (const seed of hashSeeds)
      if (!isFound()) note(await failuresWith([], null, { hashSeed: seed }), 'the order of a set')
    return causes
  }
}

/** Returns the folders of this machine that a test has no business to name; `/usr/lib` is one of many machines. */
function foldersOfHere({ folder, python }: TestingSession): readonly string[] {
  const ofPython = [...python.folders, posix.dirname(python.executable)]
  return [folder, ...ofPython.filter((each) => each.split('/').length > 3)]
}

/** Returns the tests whose text has a folder in it, in whatever notation. */
function namesThatSay(file: NewTestFile, folders: readonly string[]): readonly string[] {
  const count = (text: string): number =>
    folders.reduce((sum, folder) => sum + text.split(folder).length - 1, 0)
  if (count(file.text) === 0) return []
  return file.names.filter((name) => count(dropTests(file, [name]).text) < count(file.text))
}

import { z } from 'zod'
import { isOutside, type ShownRun, shown, type TestingHost, type TestTarget } from './host-functions.js'
import type { PythonWorker } from './python/worker.js'
import { type FunctionDescription, functionDescription } from './python/worker-results.js'
import { readWorkspaceFile } from './workspace/workspace-files.js'

/** What a call of a tool should have given, by what the host saw. */
export interface ToolTruth {
  /** Fields that its result must have; a text may only have to contain something. */
  readonly result: unknown
  /** Fields that it may leave out; where it has them, they must be so. */
  readonly optional?: Readonly<Record<string, unknown>> | undefined
  /** Texts of files afterwards; null for one that must not be there. */
  readonly files?: Readonly<Record<string, string | null>> | undefined
  /** Texts of the same files as they are. */
  readonly filesSeen?: Readonly<Record<string, string | null>> | undefined
}

export interface ToolObservation {
  readonly worker: PythonWorker
  readonly host: TestingHost
  readonly target: TestTarget
}

type Args = Readonly<Record<string, unknown>>
/** Looks at the workspace before a tool runs; what it returns is called afterwards. */
type Contract = (args: Args, observation: ToolObservation) => Promise<() => Promise<ToolTruth>>

const timeoutMs = 60_000

/** What the tools of a test writer promise, by their names; others are known by their probes only. */
const contracts: Readonly<Record<string, Contract>> = {
  analyze_signature: async (_args, { worker, target }) => {
    const functions = await worker.call(
      'describe',
      { path: target.path },
      z.array(functionDescription),
      timeoutMs,
    )
    return async () => signatureTruth(functions.find(({ qualname }) => qualname === target.qualname))
  },
  read_existing_tests: async (_args, { worker, target }) => {
    const text = await readWorkspaceFile(worker, target.testPath)
    return async () => ({
      result: text === undefined ? { content: '', path: null } : { content: text, path: target.testPath },
    })
  },
  write_test_file: writeContract,
  run_tests: async (args, { host, target }) => {
    const path = typeof args['path'] === 'string' ? args['path'] : target.testPath
    return async () => {
      const last = host.lastRun()
      return runTruth(
        last !== undefined && host.lastRunPath() === path ? shown(last) : await host.runUnseen(path),
      )
    }
  },
  submit_result: async (args, { host }) => {
    return async () => submitTruth(args, host)
  },
}

/** Returns what is to be called once a tool has run; undefined for a tool of which nobody knows what it promises. */
export async function observeTool(
  name: string,
  args: Args,
  observation: ToolObservation,
): Promise<() => Promise<ToolTruth | undefined>> {
  const { path } = args
  const contract = Object.hasOwn(contracts, name) ? contracts[name] : undefined
  // A path out of the workspace is the model's mistake, whatever the tool makes of it.
  if (typeof path === 'string' && isOutside(path)) return async () => undefined
  return contract === undefined ? async () => undefined : contract(args, observation)
}

function signatureTruth(described: FunctionDescription | undefined): ToolTruth {
  if (described === undefined) return { result: {} }
  const parameters = described.parameters.map((each) => ({
    name: each.name,
    type: each.type,
    default: each.default,
  }))
  const whole = described.parameters.map(
    ({ name, type, default: value, kind, required, default_source }) => ({
      ...{ name, type, default: value, kind, required, default_source },
    }),
  )
  return {
    result: {
      function_name: described.name,
      parameters,
      return_type: described.returns,
      is_async: described.is_async,
    },
    optional: {
      parameters: whole,
      qualname: described.qualname,
      role: described.role,
      is_generator: described.is_generator,
      raises: described.raises,
      overloads: described.overloads,
    },
  }
}

async function writeContract(args: Args, { worker, host, target }: ToolObservation) {
  const content = typeof args['content'] === 'string' ? args['content'] : ''
  const path = typeof args['path'] === 'string' ? args['path'] : target.testPath
  // A file in another encoding cannot be compared, and is not written by a tool either.
  const textOf = async (file: string): Promise<string | null> =>
    (await readWorkspaceFile(worker, file).catch(() => undefined)) ?? null
  const before = await textOf(path)
  const source = await textOf(target.path)
  return async (): Promise<ToolTruth> => {
    const checked = await worker.call('check', { text: content }, checkedText, timeoutMs)
    const mayWrite = host.mayWrite(path)
    const isWritten = checked.valid && mayWrite
    const error = checked.valid ? { contains: '' } : { contains: String(checked.line ?? '') }
    const seen = await textOf(path)
    return {
      result: isWritten ? { success: true, path } : { success: false, path, error },
      files: { [path]: isWritten ? content : before, [target.path]: source },
      filesSeen: { [path]: seen, [target.path]: await textOf(target.path) },
    }
  }
}

const checkedText = z.looseObject({ valid: z.boolean(), line: z.int().nullish() })

function runTruth({ tests, errors, failure }: ShownRun): ToolTruth {
  const having = (outcome: string) => tests.filter((test) => test.outcome === outcome)
  const [passed, failed, broken] = [having('passed'), having('failed'), having('error')]
  const failures = [
    ...[...failed, ...broken].map(({ name, message }) => ({
      test: name,
      message: { contains: message ?? '' },
    })),
    ...errors.map(({ test, message }) => ({ test, message: { contains: message } })),
    ...(failure === null ? [] : [{ test: null, message: { contains: failure } }]),
  ]
  const errorCount = broken.length + errors.length + (failure === null ? 0 : 1)
  const isGood = passed.length > 0 && failed.length + errorCount === 0
  return {
    result: { passed: passed.length, failed: failed.length, errors: errorCount, failures },
    optional: {
      status: isGood ? 'passed' : 'failed',
      skipped: tests.length - passed.length - failed.length - broken.length,
    },
  }
}

function submitTruth(args: Args, host: TestingHost): ToolTruth {
  const last = host.lastRun()
  const run = last === undefined ? undefined : shown(last)
  const total = run?.tests.length ?? 0
  const passing = run?.tests.filter(({ outcome }) => outcome === 'passed').length ?? 0
  const files = [...host.writtenFiles()]
  const claimed = Array.isArray(args['changed_files']) ? args['changed_files'].map(String).sort() : []
  const isTrue =
    run !== undefined &&
    run.failure === null &&
    run.errors.length === 0 &&
    total === args['tests_generated'] &&
    passing === args['tests_passing'] &&
    total === passing &&
    JSON.stringify(claimed) === JSON.stringify(files)
  return {
    result: {
      status: isTrue ? 'success' : 'failed',
      summary: args['summary'],
      changed_files: files,
      details: { tests_generated: total, tests_passing: passing },
      error: isTrue ? null : { contains: '' },
    },
  }
}

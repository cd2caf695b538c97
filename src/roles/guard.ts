import { z } from 'zod'
import { messageOf } from '../errors.js'
import { doubledKey } from '../text/doubled-key.js'
import { parseJson } from '../text/parse-json.js'
import type { Guideline, GuidelineEvent } from './guideline.js'
import { guidelinesContext } from './guidelines-context.js'
import { judgeWrite } from './may-write.js'
import { type Role, roleNamed } from './role.js'
import { refusedRead } from './secret-files.js'
import type { FindShadowed } from './shadowed-name.js'

/** As coding agents ask before they use a tool. */
const hookRequest = z.looseObject({
  hook_event_name: z.literal('PreToolUse'),
  tool_name: z.string().min(1),
  tool_input: z.record(z.string(), z.unknown()).default({}),
  cwd: z.string().optional(),
})

/** The same without any vendor's words. */
const neutralRequest = z.strictObject({
  role: z.string().optional(),
  tool: z.string().min(1),
  path: z.string().optional(),
  command: z.string().optional(),
  cwd: z.string().optional(),
  domain: z.string().optional(),
  action: z.string().optional(),
  events: z.array(z.literal('test_failure_repeated')).optional(),
})

/** What an agent wants to do. */
interface ToolUse {
  readonly form: 'hook' | 'neutral'
  readonly role: string | undefined
  readonly tool: string
  readonly path: unknown
  readonly command: unknown
  readonly input: Readonly<Record<string, unknown>>
  readonly cwd: string | undefined
  readonly domain: string | undefined
  readonly action: string | undefined
  readonly events: readonly GuidelineEvent[] | undefined
}

export type GuardDecision =
  | { readonly kind: 'pass' }
  | { readonly kind: 'deny'; readonly reason: string }
  /** A person decides. */
  | { readonly kind: 'ask'; readonly reason: string }
  /** The command runs within the role's sandbox instead. */
  | { readonly kind: 'rewrite'; readonly command: string; readonly reason: string }

export interface GuardOptions {
  /** Of the project, absolute. */
  readonly root: string
  /** Where the guard runs, absolute: of requests that name no folder. */
  readonly cwd?: string | undefined
  /** Of the flags; a request may name one as well, the same. */
  readonly role: string | undefined
  readonly roles: readonly Role[]
  readonly guidelines: readonly Guideline[]
  /** The program that runs a command within a role's sandbox; undefined where there is none. */
  readonly sandbox: readonly string[] | undefined
  /** Asks the project's interpreter; absent: there is none. */
  readonly findShadowed?: FindShadowed | undefined
}

/** What a request is answered with: standard output, standard error and the exit code. */
export interface GuardAnswer {
  readonly out: string
  readonly err: string
  readonly code: 0 | 2
  /** Who was refused what; absent where it may be, or where nobody is known. */
  readonly refused?: { readonly role: string; readonly path: string; readonly reason: string } | undefined
}

/** Tools that write, with the argument that names what. */
const writers: ReadonlyMap<string, string> = new Map([
  ['Write', 'file_path'],
  ['Edit', 'file_path'],
  ['MultiEdit', 'file_path'],
  ['NotebookEdit', 'notebook_path'],
])
const readers = new Set(['Read', 'Grep', 'Glob', 'LS', 'NotebookRead'])
const shells = new Set(['Bash'])
const mostBytes = 10_000_000

/**
 * Answers whether an agent of a role may use a tool. Whatever cannot be judged is denied: a request that is none, a tool that nobody knows, an
 * error in the guidelines.
 */
export async function answerGuard(text: string, options: GuardOptions): Promise<GuardAnswer> {
  const use = readRequest(text)
  if (use === undefined)
    return refusal(undefined, options.role, 'the request is no JSON of a tool that is about to be used')
  try {
    const unclear = whyUnclear(text, use)
    if (unclear !== undefined) return refusal(use, options.role, `the request is not clear: ${unclear}`)
    return answerOf(use, options.role, await decide(use, options))
  } catch (error) {
    return refusal(use, options.role, `it cannot be judged: ${messageOf(error)}`)
  }
}

function readRequest(text: string): ToolUse | undefined {
  if (text.length > mostBytes) return undefined
  const data = parseJson(text)
  const hook = hookRequest.safeParse(data)
  if (hook.success) {
    const { tool_name: tool, tool_input: input, cwd } = hook.data
    return {
      form: 'hook',
      role: undefined,
      tool,
      path: input[writers.get(tool) ?? 'file_path'],
      command: input['command'],
      input,
      cwd,
      domain: undefined,
      action: undefined,
      events: undefined,
    }
  }
  const neutral = neutralRequest.safeParse(data)
  if (!neutral.success) return undefined
  const { role, tool, path, command, cwd, domain, action, events } = neutral.data
  return { form: 'neutral', role, tool, path, command, input: {}, cwd, domain, action, events }
}

/** Whoever carries a request out may take another of its values than the one that is judged. */
function whyUnclear(text: string, { tool, input }: ToolUse): string | undefined {
  const doubled = doubledKey(text)
  if (doubled !== undefined) return `it has ${JSON.stringify(doubled)} twice`
  if (shells.has(tool)) return undefined
  const paths = pathKeys(input)
  return paths.length > 1 ? `it names more than one path (${paths.join(', ')})` : undefined
}

/** Returns the keys that name paths, in whatever list or object of a tool's input. */
function pathKeys(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => [
    ...(/path$/i.test(key) ? [key] : []),
    ...pathKeys(inner),
  ])
}

async function decide(
  use: ToolUse,
  { root, cwd, role: given, roles, guidelines, sandbox, findShadowed }: GuardOptions,
): Promise<GuardDecision> {
  if (given !== undefined && use.role !== undefined && given !== use.role)
    return deny(`the request is of ${use.role}, and this guard of ${given}`)
  const name = given ?? use.role
  if (name === undefined) return deny('no role is named: autotest guard --role ROLE')
  const role = roleNamed(name, roles)
  const { tool } = use
  if (role.deniedTools.includes(tool)) return deny(`${role.name} may not use ${tool}`)
  const context = guidelinesContext(guidelines, { ...use, agent: name })
  if (context.tools_denied.includes(tool)) return deny(`guidelines deny ${tool} to ${name}`)
  if (readers.has(tool)) return reading(role, use, root, use.cwd ?? cwd ?? root)
  if (writers.has(tool)) {
    const problem = await judgeWrite(role, { root, findShadowed, cwd: use.cwd ?? cwd, path: use.path })
    if (problem?.kind === 'ask') return { kind: 'ask', reason: problem.reason }
    return problem === undefined ? { kind: 'pass' } : deny(problem.reason)
  }
  if (shells.has(tool)) return shell(role, use.command, sandbox)
  return deny(`${tool} is not a tool that ${role.name} may use: ${role.tools.join(', ')}`)
}

/** Names of files are no secret; what is in those with keys is read by a role that names them. */
function reading(role: Role, { tool, path, input }: ToolUse, root: string, cwd: string): GuardDecision {
  const refused = refusedRead(role, {
    ...{ root, cwd },
    path: path ?? input['path'] ?? input['notebook_path'],
    glob: input['glob'],
    showsContents: tool !== 'Glob' && tool !== 'LS',
  })
  return refused === undefined ? { kind: 'pass' } : deny(refused)
}

/** No rule about text can judge a shell: what it may write is for the sandbox to say. */
function shell(role: Role, command: unknown, sandbox: readonly string[] | undefined): GuardDecision {
  if (typeof command !== 'string' || command.trim() === '') return deny('no command is named')
  if (sandbox === undefined)
    return deny(`a command cannot be judged by its text, and there is no sandbox for ${role.name} here`)
  const words = [...sandbox, '--role', role.name, '--', 'bash', '-c', command]
  return {
    kind: 'rewrite',
    command: words.map(quoted).join(' '),
    reason: `it runs in the sandbox of ${role.name}`,
  }
}

/** Returns a word as a shell reads it back. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

function deny(reason: string): GuardDecision {
  return { kind: 'deny', reason }
}

function answerOf(use: ToolUse, role: string | undefined, decision: GuardDecision): GuardAnswer {
  if (decision.kind === 'deny') return refusal(use, role, decision.reason)
  if (decision.kind === 'ask') return question(use, decision.reason)
  if (use.form === 'neutral') {
    const answer =
      decision.kind === 'pass'
        ? { decision: 'allow' }
        : { decision: 'rewrite', command: decision.command, reason: decision.reason }
    return { out: JSON.stringify(answer), err: '', code: 0 }
  }
  // Nothing is said of what may be done: the user's own permissions still decide.
  if (decision.kind === 'pass') return { out: '{}', err: '', code: 0 }
  const output = {
    hookEventName: 'PreToolUse',
    permissionDecision: 'allow',
    permissionDecisionReason: decision.reason,
    updatedInput: { ...use.input, command: decision.command },
  }
  return { out: JSON.stringify({ hookSpecificOutput: output }), err: '', code: 0 }
}

/** The user of a coding agent is asked; to whom no question can be put, exit code 2 denies it. */
function question(use: ToolUse, reason: string): GuardAnswer {
  if (use.form === 'neutral')
    return { out: JSON.stringify({ decision: 'ask', reason }), err: `autotest guard: ${reason}`, code: 2 }
  const output = { hookEventName: 'PreToolUse', permissionDecision: 'ask', permissionDecisionReason: reason }
  return { out: JSON.stringify({ hookSpecificOutput: output }), err: '', code: 0 }
}

/** Exit code 2 blocks a tool even where the answer is not read. */
function refusal(use: ToolUse | undefined, given: string | undefined, reason: string): GuardAnswer {
  const role = given ?? use?.role
  const answer =
    use?.form === 'neutral'
      ? { decision: 'deny', reason }
      : {
          hookSpecificOutput: {
            hookEventName: 'PreToolUse',
            permissionDecision: 'deny',
            permissionDecisionReason: reason,
          },
        }
  const named = [use?.path, use?.command].find((each): each is string => typeof each === 'string')
  const path = named ?? use?.tool ?? ''
  const refused = role === undefined ? undefined : { role, path, reason }
  return { out: JSON.stringify(answer), err: `autotest guard: ${reason}`, code: 2, refused }
}

import { z } from 'zod'
import type { ChatMessage, ToolCall } from '../../llm/provider.js'
import type { Snapshot } from '../../snapshot/snapshot.js'
import { parseJson } from '../../text/parse-json.js'
import { answerProblems } from '../answer-problems.js'
import { toolSchemas, toolsByName } from '../definition.js'
import { type SubagentDefinition, submitResult, type ToolDefinition } from '../definition-types.js'
import { renderMessages } from '../prompt.js'
import { type HostFunction, runToolScript } from '../script/run-tool-script.js'
import { readToolScript } from '../script/script-format.js'
import type { Ending, Trace, TracedCall, TracedTurn } from './trace.js'
import type { TurnModel } from './turn-model.js'

export interface SubagentWork {
  readonly definition: SubagentDefinition
  /** Holds the scripts of its tools. */
  readonly snapshot: Snapshot
  /** What its templates may name. */
  readonly variables: Readonly<Record<string, unknown>>
  /** Functions that the scripts may call. */
  readonly host: Readonly<Record<string, HostFunction>>
  readonly model: TurnModel
  /**
   * Called before the script of a tool, or of the context, runs; what it returns is called afterwards, and says what the
   * script should have returned. Absent: nobody knows.
   */
  readonly observe?:
    | ((name: string, args: Readonly<Record<string, unknown>>) => Promise<() => Promise<unknown>>)
    | undefined
  /** Milliseconds for all turns together. */
  readonly timeoutMs: number
  readonly signal: AbortSignal
}

/** A model that reads this much of one result has read enough. */
const mostShown = 20_000
/** Turns without any call of a tool after which a model is not asked again. */
const mostSilentTurns = 2

const reminder = `Answer by calling tools only. When the work is done, call ${submitResult}.`

/**
 * Lets a model work with its tools: a turn of the model, the results of its calls, the next turn, until it submits, has
 * had all its turns, or the time is over. What a model does wrong is told to it as a result. Throws `AutotestError`
 * where the model cannot be asked, and the signal's reason after an abort.
 */
export async function runSubagent(work: SubagentWork): Promise<Trace> {
  const { definition, model, timeoutMs, signal } = work
  const deadline = AbortSignal.timeout(timeoutMs)
  const both = AbortSignal.any([signal, deadline])
  const tools = toolSchemas(definition)
  const turns: TracedTurn[] = []
  const context: TracedCall[] = []
  const end = (ending: Ending): Trace => ({ context, turns, ending })
  const late = (): Trace =>
    end({ kind: 'not_submitted', reason: `it did not submit in ${Math.round(timeoutMs / 1000)} s` })
  try {
    const messages = await firstMessages(work, context, both)
    let silent = 0
    for (let turn = 0; turn < definition.maxTurns; turn++) {
      const said = await model.next({ messages, tools, turn }, both)
      messages.push({ role: 'assistant', content: said.text, calls: said.calls })
      if (said.calls.length === 0) {
        turns.push({ text: said.text, calls: [] })
        if (++silent >= mostSilentTurns)
          return end({ kind: 'not_submitted', reason: `it called no tool ${silent} times in a row` })
        messages.push({ role: 'user', content: reminder })
        continue
      }
      silent = 0
      const { calls, submitted } = await callTools(said.calls, work, both)
      turns.push({ text: said.text, calls })
      for (const { id, name, shown } of calls)
        messages.push({ role: 'tool', callId: id, name, content: shown })
      if (submitted !== undefined) return end(submitted)
    }
    return end({ kind: 'not_submitted', reason: `it did not submit in ${definition.maxTurns} turns` })
  } catch (error) {
    if (signal.aborted || !deadline.aborted) throw error
    return late()
  }
}

/** Returns the first messages; the scripts of the context are run for them. */
async function firstMessages(
  work: SubagentWork,
  context: TracedCall[],
  signal: AbortSignal,
): Promise<ChatMessage[]> {
  const { definition, variables } = work
  const [system, user] = renderMessages(definition, variables)
  const parts = [user?.content ?? '']
  for (const { name, script } of definition.contextProviders) {
    const called = await runScript({ id: name, name, arguments: '{}' }, {}, script, work, signal)
    context.push(called)
    if (called.value !== '' && called.value !== null) parts.push(`${name}:\n${called.shown}`)
  }
  return [
    { role: 'system', content: system?.content ?? '' },
    { role: 'user', content: parts.join('\n\n') },
  ]
}

/** Calls the tools of one turn, in order, until one of them ends the work. */
async function callTools(
  calls: readonly ToolCall[],
  work: SubagentWork,
  signal: AbortSignal,
): Promise<{ calls: TracedCall[]; submitted: Ending | undefined }> {
  const done: TracedCall[] = []
  const byName = toolsByName(work.definition)
  for (const call of calls) {
    const traced = await callTool(call, byName, work, signal)
    done.push(traced)
    if (call.name === submitResult && traced.problem === undefined)
      return {
        calls: done,
        submitted: { kind: 'submitted', args: traced.args ?? {}, value: traced.value },
      }
  }
  return { calls: done, submitted: undefined }
}

async function callTool(
  call: ToolCall,
  byName: ReadonlyMap<string, ToolDefinition>,
  work: SubagentWork,
  signal: AbortSignal,
): Promise<TracedCall> {
  const tool = byName.get(call.name)
  if (tool === undefined)
    return refused(call, `there is no tool ${call.name}: there are ${[...byName.keys()].join(', ')}`)
  const read = readArguments(call.arguments, tool)
  if ('problem' in read) return refused(call, read.problem)
  const { args } = read
  if (tool.script === undefined) return { ...call, args, value: args, shown: shownText(args), host: [] }
  const traced = await runScript(call, args, tool.script, work, signal)
  const extra: string[] = []
  for (const script of tool.contextProviders) {
    const provided = await runScript(call, {}, script, work, signal)
    extra.push(provided.shown)
  }
  return extra.length === 0 ? traced : { ...traced, shown: [traced.shown, ...extra].join('\n') }
}

function refused(call: ToolCall, problem: string): TracedCall {
  return { ...call, problem, shown: shownText({ error: problem }), host: [] }
}

const schemas = new WeakMap<object, z.ZodType>()

/** Returns the arguments, if they keep to the tool's schema. */
function readArguments(
  text: string,
  { name, parameters }: ToolDefinition,
): { readonly args: Record<string, unknown> } | { readonly problem: string } {
  const value = text.trim() === '' ? {} : parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { problem: `the arguments of ${name} are no JSON object` }
  const schema = schemas.get(parameters) ?? z.fromJSONSchema(parameters)
  schemas.set(parameters, schema)
  const checked = schema.safeParse(value)
  return checked.success
    ? { args: { ...value } }
    : { problem: `the arguments of ${name} do not keep to its schema: ${answerProblems(checked.error)}` }
}

async function runScript(
  call: ToolCall,
  args: Readonly<Record<string, unknown>>,
  script: string,
  { snapshot, host, observe }: SubagentWork,
  signal: AbortSignal,
): Promise<TracedCall> {
  const bytes = snapshot.files.get(script)
  const base = { ...call, args, script }
  if (bytes === undefined) {
    const problem = `${script} is not there`
    return { ...base, problem, shown: shownText({ error: problem }), host: [] }
  }
  const read = await readToolScript(new TextDecoder().decode(bytes))
  const observed = await observe?.(call.name, args)
  const outcome = await runToolScript(read, args, host, signal)
  signal.throwIfAborted()
  const truth = await observed?.()
  const seen = { ...base, host: outcome.calls, ...(truth === undefined ? {} : { truth }) }
  if (outcome.kind === 'done') return { ...seen, value: outcome.value, shown: shownText(outcome.value) }
  const place = outcome.line === undefined ? script : `${script}:${outcome.line}`
  const problem = `${place}: ${outcome.message}`
  return { ...seen, problem, shown: shownText({ error: problem }) }
}

/** Returns a value as the model reads it. */
function shownText(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text.length <= mostShown
    ? text
    : `${text.slice(0, mostShown)}… (${text.length} characters, the rest is left out)`
}

import type { Trace, TracedCall } from '../../subagent/runner/trace.js'
import { oneLine } from '../format-text.js'

/**
 * Renders what an agent with tools did for one case: each call, what the tool said, and what it asked the host.
 *
 * @param width columns of a line
 */
export function traceLines({ context, turns, ending }: Trace, width: number): string[] {
  return [
    ...context.flatMap((call) => callLines('context', call, width)),
    ...turns.flatMap(({ text, calls }, at) => [
      ...(text === '' ? [] : [cut(`turn ${at + 1}  says: ${oneLine(text)}`, width)]),
      ...calls.flatMap((call) => callLines(`turn ${at + 1}`, call, width)),
    ]),
    ending.kind === 'submitted' ? 'submitted' : `not submitted: ${ending.reason}`,
  ]
}

function callLines(
  label: string,
  { name, arguments: given, problem, shown, host }: TracedCall,
  width: number,
): string[] {
  const called = host.map((each) => each.name).join(', ')
  return [
    cut(`${label}  ${name} ${oneLine(given)}`, width),
    cut(`        ${problem === undefined ? '→' : '✗'} ${oneLine(problem ?? shown)}`, width),
    ...(called === '' ? [] : [cut(`        host: ${called}`, width)]),
  ]
}

function cut(line: string, width: number): string {
  return line.length > width ? `${line.slice(0, Math.max(1, width - 1))}…` : line
}

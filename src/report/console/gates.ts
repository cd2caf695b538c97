import { type GateRecord, isOpen } from '../../store/gate-rows.js'
import { oneLine } from '../format-text.js'

/** Returns a gate as people read it: the question, what is known, and the choices. */
export function gateLines(gate: GateRecord, now: Date): readonly string[] {
  const { id, question, details, options, answer, expiresAt } = gate
  const given = options.find((each) => each.answer === answer)
  const until = isOpen(gate, now)
    ? `open until ${expiresAt.slice(0, 10)}`
    : answer === undefined
      ? `expired on ${expiresAt.slice(0, 10)}`
      : `answered ${given?.choice ?? answer}`
  return [
    `${id}  ${oneLine(question)}  (${until})`,
    ...details.map((line) => `  ${line}`),
    ...(isOpen(gate, now)
      ? [
          ...options.map(({ choice, text }) => ` ${choice}) ${text}`),
          `  answer  autotest gates answer ${id} --choice ${options.map(({ choice }) => choice).join('|')}`,
        ]
      : []),
    '',
  ]
}

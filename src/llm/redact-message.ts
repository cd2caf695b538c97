import type { Redactor } from '../text/secrets.js'
import type { ChatMessage } from './provider.js'

/** Returns a message without secrets, in its words and in the arguments of the tools that it calls. */
export function redactMessage(message: ChatMessage, redact: Redactor): ChatMessage {
  const { content, calls } = message
  const clean = { ...message, content: redact(content) }
  if (calls === undefined) return clean
  return { ...clean, calls: calls.map((call) => ({ ...call, arguments: redact(call.arguments) })) }
}

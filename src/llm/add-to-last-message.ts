import type { ChatMessage } from './provider.js'

/** Adds a paragraph to the last message: some chat templates take no two turns of one side. */
export function addToLastMessage(messages: readonly ChatMessage[], paragraph: string): ChatMessage[] {
  return messages.map((message, at) =>
    at === messages.length - 1 ? { ...message, content: `${message.content}\n\n${paragraph}` } : message,
  )
}

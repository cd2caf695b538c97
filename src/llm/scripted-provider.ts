import { z } from 'zod'
import { roles } from '../enums/role.js'
import { validate } from '../snapshot/validate-schema.js'
import { parseYaml } from '../snapshot/yaml.js'
import type { ChatRequest, Provider } from './provider.js'

const rule = z
  .strictObject({
    role: z.enum(roles).optional(),
    /** Texts that the prompt must contain, all of them. */
    when: z.array(z.string()).default([]),
    answer: z.record(z.string(), z.unknown()).optional(),
    text: z.string().optional(),
    fails: z.string().optional(),
    /** How often the rule applies; absent: always. */
    times: z.int().min(1).optional(),
  })
  .refine(
    ({ answer, text, fails }) => [answer, text, fails].filter((part) => part !== undefined).length === 1,
    'must have one of answer, text and fails',
  )

const script = z.strictObject({ replies: z.array(rule).min(1, 'is empty') })

/** The rules of a scripted model: the first one that matches a prompt decides. */
export type Script = z.output<typeof script>

/** Parses a script from a YAML file. Throws `AutotestError('config_invalid')` with `file:line:column`. */
export function parseScript(bytes: Uint8Array, file: string): Script {
  return validate(script, parseYaml(bytes, file, { code: 'config_invalid' }), 'config_invalid')
}

/**
 * Creates a model that answers from a script: offline, immediately, deterministically. For tests and
 * demonstrations.
 */
export function scriptedProvider({ replies }: Script, name: string): Provider {
  const used = new Map<Script['replies'][number], number>()
  return {
    name,
    async complete(request, { role }, signal) {
      signal.throwIfAborted()
      const prompt = request.messages.map(({ content }) => content).join('\n')
      const found = replies.find(
        (each) =>
          (each.role ?? role) === role &&
          each.when.every((text) => prompt.includes(text)) &&
          (used.get(each) ?? 0) < (each.times ?? Number.POSITIVE_INFINITY),
      )
      if (found === undefined)
        return { kind: 'failure', failure: 'unusable', message: 'no reply of the script matches', usage }
      used.set(found, (used.get(found) ?? 0) + 1)
      if (found.fails !== undefined) return { kind: 'failure', failure: 'transient', message: found.fails }
      const text = found.text ?? JSON.stringify(found.answer)
      return { kind: 'reply', text, usage: usageOf(request, text) }
    },
  }
}

const usage = { inputTokens: 0, outputTokens: 0 }

/** Counts words as tokens, so that token budgets apply. */
function usageOf({ messages }: ChatRequest, text: string) {
  const words = (each: string): number => each.split(/\s+/).filter((word) => word !== '').length
  return {
    inputTokens: messages.reduce((sum, { content }) => sum + words(content), 0),
    outputTokens: words(text),
  }
}

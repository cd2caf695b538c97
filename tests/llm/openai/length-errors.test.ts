import { describe, expect, it, onTestFinished } from 'vitest'
import { sendJson, startChatServer } from '../chat-server.js'
import { askForEdits, modelOf, openAi, testLlm } from '../test-model.js'

async function told(status: number, body: unknown) {
  const server = await startChatServer(() => ({ raw: (response) => sendJson(response, status, body) }))
  onTestFinished(() => server.close())
  const { llm, calls } = testLlm()
  const answer = await askForEdits(llm, modelOf(openAi(server.baseUrl))).catch((error: unknown) => error)
  return { answer, calls }
}

const error = (message: string, more = {}) => ({ error: { message, ...more } })

describe('a prompt that is too long is told as one, after one call, with a remedy', () => {
  it.each([
    [
      'OpenAI',
      400,
      error(
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9139 tokens (9035 in the messages, 104 in the functions). Please reduce the length of the messages or functions.",
        { code: 'context_length_exceeded', param: 'messages' },
      ),
    ],
    [
      'OpenAI, for a minute',
      429,
      error(
        'Request too large for gpt-5 in organization org-1 on tokens per min (TPM): Limit 30000, Requested 41000. The input or output tokens must be reduced in order to run successfully.',
        { code: 'rate_limit_exceeded', type: 'tokens' },
      ),
    ],
    [
      'llama.cpp',
      400,
      error('the request exceeds the available context size, try increasing it', {
        code: 400,
        type: 'exceed_context_size_error',
        n_prompt_tokens: 9000,
        n_ctx: 4096,
      }),
    ],
    ['llama.cpp, within the answer', 500, error('Context size has been exceeded.', { code: 500 })],
    [
      'vLLM',
      400,
      {
        object: 'error',
        message:
          "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 4096 tokens and your request has 3500 input tokens (1000 > 4096 - 3500).",
      },
    ],
    ['Ollama', 400, error('the input length exceeds the context length')],
    [
      'LM Studio',
      400,
      error(
        'Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.',
      ),
    ],
    [
      'TGI',
      422,
      {
        error:
          'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3500 `inputs` tokens and 1000 `max_new_tokens`',
        error_type: 'validation',
      },
    ],
    ['Anthropic', 400, error('prompt is too long: 210000 tokens > 200000 maximum')],
    [
      'Gemini',
      400,
      [error('The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).')],
    ],
    ['a gateway', 413, '<html>Request Entity Too Large</html>'],
  ])('%s', async (_name, status, body) => {
    const { answer, calls } = await told(status, body)
    const message = expect.stringMatching(/Give the model a longer context .*, or lower max_tokens/)
    expect(answer).toMatchObject({ kind: 'too_long', message })
    expect(calls).toHaveLength(1)
  })
})

describe('an answer that may be longer than any, which no shorter prompt changes, ends the run', () => {
  it.each([
    [
      'OpenAI',
      'max_tokens is too large: 1000. This model supports at most 512 completion tokens, whereas you provided 1000.',
    ],
    [
      'Groq',
      '`max_tokens` must be less than or equal to `512`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    ],
    ['DeepSeek', 'Invalid max_tokens value, the valid range of max_tokens is [1, 512]'],
    [
      'Anthropic',
      'max_tokens: 1000 > 512, which is the maximum allowed number of output tokens for claude-3',
    ],
    [
      'vLLM',
      "'max_tokens' or 'max_completion_tokens' is too large: 1000. This model's maximum context length is 512 tokens and your request has 35 input tokens (1000 > 512 - 35).",
    ],
  ])('%s', async (_name, message) => {
    const { answer, calls } = await told(400, error(message))
    const hint = 'Lower `llm.roles.repairer.max_tokens`.'
    expect(answer).toMatchObject({ code: 'llm_rejected', hint })
    expect(calls).toHaveLength(1)
  })
})

it('a model that thought for as long as its answer might be is charged for it, and the remedy named', async () => {
  const { answer, calls } = await told(
    400,
    error(
      'Could not finish the message because max_tokens or model output limit was reached. Please try again with higher max_tokens.',
    ),
  )
  const message = expect.stringContaining('Raise `llm.roles.repairer.max_tokens`')
  expect(answer).toMatchObject({ kind: 'unusable', message })
  expect(calls.map(({ usage }) => usage.outputTokens)).toEqual([1000, 1000])
})

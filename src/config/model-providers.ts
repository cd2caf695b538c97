/**
 * How the form of an answer is enforced, strictest first: by a JSON Schema, by a tool that must be called, as any JSON
 * object, or by words alone.
 */
export const answerModes = ['schema', 'tool', 'object', 'text'] as const
export type AnswerMode = (typeof answerModes)[number]

/** What is known of a service or server that speaks chat completions. */
export interface ModelProvider {
  readonly name: string
  /** Absent where each account or installation has its own. */
  readonly baseUrl?: string
  /** Environment variable of its key; absent: it needs none. */
  readonly keyEnv?: string
  /** Matches the host, with the port where one is given, of an address that is configured without a provider. */
  readonly host?: RegExp
  /** The order in which forms of an answer are tried; those it documents as ignored come last. */
  readonly answerModes: readonly AnswerMode[]
  /** Whether the maximal length of an answer is `max_completion_tokens`. */
  readonly newLimitName?: true
  /** The documentation of these facts, and the day on which it was read. */
  readonly source: { readonly page: string; readonly read: string }
}

const schemaFirst = answerModes
const toolFirst = ['tool', 'schema', 'object', 'text'] as const

/** Every provider that `llm.provider` names. */
export const modelProviders = [
  {
    name: 'openai',
    baseUrl: 'https://api.openai.com/v1',
    keyEnv: 'OPENAI_API_KEY',
    host: /(?:^|\.)openai\.com$/,
    answerModes: schemaFirst,
    newLimitName: true,
    // The reference of the official client, which declares every field.
    source: {
      page: 'https://github.com/openai/openai-node/blob/master/src/resources/chat/completions/completions.ts',
      read: '2026-11-27',
    },
  },
  {
    name: 'azure',
    keyEnv: 'AZURE_OPENAI_API_KEY',
    host: /\.(?:openai\.azure|cognitiveservices\.azure|services\.ai\.azure)\.com$/,
    answerModes: schemaFirst,
    newLimitName: true,
    source: {
      page: 'https://learn.microsoft.com/en-us/azure/ai-foundry/openai/how-to/structured-outputs',
      read: '2026-11-27',
    },
  },
  {
    // Its compatibility layer ignores `response_format`, and `strict` of a tool.
    name: 'anthropic',
    baseUrl: 'https://api.anthropic.com/v1',
    keyEnv: 'ANTHROPIC_API_KEY',
    host: /(?:^|\.)anthropic\.com$/,
    answerModes: ['tool', 'text'],
    source: { page: 'https://platform.claude.com/docs/en/api/openai-sdk', read: '2026-11-27' },
  },
  {
    name: 'gemini',
    baseUrl: 'https://generativelanguage.googleapis.com/v1beta/openai',
    keyEnv: 'GEMINI_API_KEY',
    host: /^generativelanguage\.googleapis\.com$/,
    answerModes: schemaFirst,
    source: { page: 'https://ai.google.dev/api/compatibility', read: '2026-11-27' },
  },
  {
    name: 'openrouter',
    baseUrl: 'https://openrouter.ai/api/v1',
    keyEnv: 'OPENROUTER_API_KEY',
    host: /(?:^|\.)openrouter\.ai$/,
    answerModes: schemaFirst,
    source: { page: 'https://openrouter.ai/docs/structured-outputs', read: '2026-11-27' },
  },
  {
    // What it passes on depends on the model behind it; tools are translated for most.
    name: 'litellm',
    baseUrl: 'http://localhost:4000',
    keyEnv: 'LITELLM_API_KEY',
    host: /^(?:localhost|127\.0\.0\.1):4000$/,
    answerModes: toolFirst,
    source: { page: 'https://docs.litellm.ai/docs/completion/json_mode', read: '2026-11-27' },
  },
  {
    name: 'vllm',
    baseUrl: 'http://localhost:8000/v1',
    host: /^(?:localhost|127\.0\.0\.1):8000$/,
    answerModes: schemaFirst,
    source: { page: 'https://docs.vllm.ai/en/latest/features/structured_outputs.html', read: '2026-11-27' },
  },
  {
    // `tool_choice` is not among the fields that it supports.
    name: 'ollama',
    baseUrl: 'http://localhost:11434/v1',
    host: /:11434$/,
    answerModes: ['schema', 'object', 'tool', 'text'],
    source: { page: 'https://docs.ollama.com/api/openai-compatibility', read: '2026-11-27' },
  },
  {
    name: 'lmstudio',
    baseUrl: 'http://localhost:1234/v1',
    host: /^(?:localhost|127\.0\.0\.1):1234$/,
    answerModes: ['schema', 'tool', 'text'],
    source: {
      page: 'https://lmstudio.ai/docs/developer/openai-compat/structured-output',
      read: '2026-11-27',
    },
  },
  {
    // `tool_choice` as an object counts as `auto`, and a template without tools drops them silently.
    name: 'llamacpp',
    baseUrl: 'http://localhost:8080/v1',
    host: /^(?:localhost|127\.0\.0\.1):8080$/,
    answerModes: ['schema', 'object', 'tool', 'text'],
    source: {
      page: 'https://github.com/ggml-org/llama.cpp/blob/master/tools/server/README.md',
      read: '2026-11-27',
    },
  },
] as const satisfies readonly ModelProvider[]

export type ModelProviderName = (typeof modelProviders)[number]['name']

export const modelProviderNames = modelProviders.map(({ name }) => name)

/** Returns what is known of a provider by its name, else by the address; undefined for an address that says nothing. */
export function modelProvider(name: string | undefined, baseUrl: string): ModelProvider | undefined {
  const known: readonly ModelProvider[] = modelProviders
  if (name !== undefined) return known.find((each) => each.name === name)
  const { host } = new URL(baseUrl)
  return known.find((each) => each.host?.test(host))
}

import { z } from 'zod'
import { roles } from '../enums/role.js'
import { streamSettings, structuredSettings } from './config.js'
import { endpoint, extraBody, nonBlankString } from './endpoint-schema.js'
import { modelProviderNames, modelProviders } from './model-providers.js'
import { durationMs, nonNegativeNumber, seed } from './value-schemas.js'

const reached = {
  provider: z
    .enum(modelProviderNames)
    .optional()
    .describe(
      'Service or server with a known address, key variable and abilities. Absent: the address decides. See [models.md](models.md#model-providers).',
    ),
  structured: z
    .enum(structuredSettings)
    .optional()
    .describe(
      'How the form of an answer is enforced: `schema` (`response_format: json_schema`), `tool` (a forced tool call), `object` (`json_object`, with the schema in the prompt) or `text` (the prompt alone). `auto`: the strictest that the endpoint supports and that has an effect.',
    ),
  stream: z
    .enum(streamSettings)
    .optional()
    .describe(
      'Whether answers are streamed, so that a model that repeats itself is stopped early. `auto`: on servers of your own network, elsewhere once a model was seen to loop.',
    ),
  base_url: endpoint.base_url.describe(
    'Address that `/chat/completions` is appended to. Absent: OpenAI (of a role: that of `llm`).',
  ),
  key_env: endpoint.key_env.describe(
    'Environment variable that holds the key. Default: `OPENAI_API_KEY` without a `base_url`, none with one. Of a role, `null`: none is sent.',
  ),
  extra_headers: endpoint.extra_headers.describe(
    'Headers of each request. A secret is written `{ env: NAME }`.',
  ),
  extra_query: endpoint.extra_query.describe('Query parameters of each request.'),
}

/** Reports a provider whose address nobody else can know. */
function checkAddress(
  { provider, base_url }: { readonly provider?: string | undefined; readonly base_url?: string | undefined },
  context: z.RefinementCtx,
): void {
  if (provider === undefined || base_url !== undefined) return
  const known = modelProviders.find(({ name }) => name === provider)
  if (known !== undefined && !('baseUrl' in known))
    context.addIssue({
      code: 'custom',
      path: ['provider'],
      message: `${provider} needs the \`base_url\` of your resource`,
    })
}

const role = z
  .strictObject({
    model: nonBlankString
      .refine((text) => !/^\w+:\s*$/.test(text.trim()), 'has no model')
      .optional()
      .describe(
        'Model, as `gpt-5-mini`, `openai:gpt-5-mini` or `scripted:FILE`. Absent: that of the definition.',
      ),
    definition: nonBlankString.optional().describe('File with the prompts of the role, below `agents`.'),
    temperature: z
      .number()
      .min(0, 'must not be negative')
      .max(2, 'must be at most 2')
      .optional()
      .describe('Sampling temperature. Absent: not sent.'),
    seed: seed.optional().describe('Sampling seed. Absent: not sent.'),
    timeout: durationMs
      .optional()
      .describe('Deadline of one answer with all its retries. Absent: `llm.timeout`.'),
    max_tokens: z
      .int()
      .min(1, 'must be at least 1')
      .max(1_000_000, 'must be at most 1000000')
      .optional()
      .describe('Most tokens of one answer.'),
    extra_body: extraBody
      .optional()
      .describe('Fields of each request that the protocol does not have, as `reasoning_effort` or `top_p`.'),
    ...reached,
  })
  .superRefine(checkAddress)

const price = z.strictObject({
  in: nonNegativeNumber.describe('Price of a million input tokens.'),
  out: nonNegativeNumber.describe('Price of a million output tokens.'),
})
/** The key `llm` of a configuration file: how models are reached. */
export const llm = z
  .strictObject({
    ...reached,
    timeout: durationMs.optional().describe('Deadline of one answer with all its retries.'),
    roles: z
      .partialRecord(z.enum(roles), role)
      .optional()
      .describe('Settings of each role. A judge is asked only where `judge` is named here.'),
    prices: z
      .record(nonBlankString, price)
      .optional()
      .describe('Prices by model, in the currency of `budget.cost`.'),
  })
  .superRefine(checkAddress)

import { type AnswerMode, answerModes, modelProvider } from '../../config/model-providers.js'

/** How an endpoint is asked first, before anything was learned of it. */
export interface EndpointTraits {
  readonly answerModes: readonly AnswerMode[]
  /** Names of the field for the maximal length of an answer. */
  readonly limits: readonly ('max_tokens' | 'max_completion_tokens')[]
  /** Whether answers are streamed from the start, so that a model in a loop is cut early. */
  readonly streams: boolean
}

export interface EndpointChoice {
  readonly baseUrl: string
  /** A name of `modelProviders`; undefined: the address decides. */
  readonly provider: string | undefined
  readonly structured: AnswerMode | 'auto'
  readonly stream: 'auto' | 'on' | 'off'
}

/**
 * Returns how an endpoint is asked first: as its provider documents, or as the configuration says. Servers of one's own
 * stream from the start: small models loop, and an early end frees the machine. Others stream once a model was seen to
 * loop, as some accounts may not stream.
 */
export function endpointTraits({ baseUrl, provider, structured, stream }: EndpointChoice): EndpointTraits {
  const known = modelProvider(provider, baseUrl)
  const newFirst = known?.newLimitName === true
  return {
    answerModes: structured === 'auto' ? (known?.answerModes ?? answerModes) : [structured],
    // OpenAI's own newer models reject `max_tokens`, many other servers do not know the new name.
    limits: newFirst ? ['max_completion_tokens', 'max_tokens'] : ['max_tokens', 'max_completion_tokens'],
    streams: stream === 'on' || (stream === 'auto' && isOwnNetwork(new URL(baseUrl).hostname)),
  }
}

/** Reports whether a host is this machine, or in a private network by its name or address. */
function isOwnNetwork(host: string): boolean {
  return (
    /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\]|10\.\d+\.\d+\.\d+|192\.168\.\d+\.\d+|172\.(?:1[6-9]|2\d|3[01])\.\d+\.\d+)$/.test(
      host,
    ) || /^[\w-]+$|\.(?:local|internal|lan|svc)$/.test(host)
  )
}

import { createHash, createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fetch } from 'undici'
import { z } from 'zod'
import { messageOf } from '../../../errors.js'
import { ServerFault, type ServiceSettings } from '../server-protocol.js'

/** A token is renewed this long before it ends, in milliseconds. */
const marginMs = 60_000
const tokenMs = 15_000
const scope = 'https://www.googleapis.com/auth/bigquery'

interface Token {
  readonly text: string
  /** By `Date.now()`. */
  readonly endsAt: number
}

const forever = Number.POSITIVE_INFINITY

/** Returns what obtains the token of requests: kept until it nears its end, and obtained once for requests at the same time. */
export function createTokens(settings: ServiceSettings): () => Promise<string | undefined> {
  let known: Promise<Token> | undefined
  let endsAt = 0
  return async () => {
    if (settings.credentials.kind === 'none') return undefined
    if (known === undefined || Date.now() > endsAt - marginMs) {
      // Until it is there, requests share the one that is asked for.
      endsAt = forever
      known = obtain(settings).then(
        (token) => {
          endsAt = token.endsAt
          return token
        },
        (error: unknown) => {
          known = undefined
          throw error
        },
      )
    }
    return (await known).text
  }
}

async function obtain({ credentials, origin, user }: ServiceSettings): Promise<Token> {
  switch (credentials.kind) {
    case 'none':
      return { text: '', endsAt: forever }
    case 'token':
      return { text: credentials.token, endsAt: forever }
    case 'password':
      return { text: credentials.password, endsAt: forever }
    case 'token-file':
      // Others renew it: read for each request.
      return { text: await readToken(credentials.path), endsAt: 0 }
    case 'key-pair':
      return snowflakeToken(credentials, user)
    case 'client':
      // docs.databricks.com/aws/en/dev-tools/auth/oauth-m2m, read 2026-11
      return ask(
        `${origin}/oidc/v1/token`,
        { grant_type: 'client_credentials', scope: 'all-apis' },
        credentials,
      )
    case 'google':
      return googleToken(credentials.file)
  }
}

async function readToken(path: string): Promise<string> {
  try {
    return (await readFile(path, 'utf8')).trim()
  } catch (error) {
    throw new ServerFault(`the token file ${path} cannot be read: ${messageOf(error)}`, {
      hint: 'Correct its path, or its rights.',
      cause: error,
    })
  }
}

/** docs.snowflake.com/en/developer-guide/sql-api/authenticating (key-pair authentication), read 2026-11. */
function snowflakeToken(
  {
    account,
    privateKey,
    passphrase,
  }: { account: string; privateKey: string; passphrase: string | undefined },
  user: string,
): Token {
  const key = keyOf(privateKey, passphrase)
  const der = createPublicKey(key).export({ type: 'spki', format: 'der' })
  const print = createHash('sha256').update(der).digest('base64')
  // Without region and cloud, which follow a dot.
  const subject = `${account.split('.')[0]}.${user}`.toUpperCase()
  const now = Math.floor(Date.now() / 1000)
  const lifetime = 3000
  const text = signed({ iss: `${subject}.SHA256:${print}`, sub: subject, iat: now, exp: now + lifetime }, key)
  return { text, endsAt: (now + lifetime) * 1000 }
}

function keyOf(pem: string, passphrase: string | undefined): KeyObject {
  try {
    return createPrivateKey({ key: pem, ...(passphrase === undefined ? {} : { passphrase }) })
  } catch (error) {
    throw new ServerFault(`the private key cannot be read: ${messageOf(error)}`, {
      hint: 'It is PEM (PKCS#8); an encrypted one needs its passphrase.',
      cause: error,
    })
  }
}

/** A JSON web token, RS256. */
function signed(claims: Readonly<Record<string, unknown>>, key: KeyObject): string {
  const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')
  const text = `${part({ alg: 'RS256', typ: 'JWT' })}.${part(claims)}`
  return `${text}.${sign('RSA-SHA256', Buffer.from(text), key).toString('base64url')}`
}

const googleFile = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('service_account'),
    client_email: z.string(),
    private_key: z.string(),
    token_uri: z.string(),
  }),
  z.looseObject({
    type: z.literal('authorized_user'),
    client_id: z.string(),
    client_secret: z.string(),
    refresh_token: z.string(),
    token_uri: z.string().default('https://oauth2.googleapis.com/token'),
  }),
  z.looseObject({
    type: z.literal('external_account'),
    audience: z.string(),
    subject_token_type: z.string(),
    token_url: z.string(),
    service_account_impersonation_url: z.string().optional(),
    credential_source: z.looseObject({
      file: z.string(),
      format: z.looseObject({ type: z.string(), subject_token_field_name: z.string().optional() }).optional(),
    }),
  }),
])

/** google.aip.dev/auth/4112 (service accounts), 4113 (users), 4117 (workload identity by file), read 2026-11. */
async function googleToken(text: string): Promise<Token> {
  const parsed = googleFile.safeParse(jsonOf(text))
  if (!parsed.success)
    throw new ServerFault('the credentials file of Google cannot be used', {
      hint: 'It is one of a service account, of a user (gcloud auth application-default login) or of a workload identity that reads a file.',
      cause: parsed.error,
    })
  const file = parsed.data
  if (file.type === 'authorized_user') {
    const { client_id: id, client_secret: secret, refresh_token: refresh } = file
    return ask(file.token_uri, {
      grant_type: 'refresh_token',
      client_id: id,
      client_secret: secret,
      refresh_token: refresh,
    })
  }
  if (file.type === 'service_account') {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: file.client_email, scope, aud: file.token_uri, iat: now, exp: now + 3600 }
    const assertion = signed(claims, keyOf(file.private_key, undefined))
    return ask(file.token_uri, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion })
  }
  const { file: path, format } = file.credential_source
  const source = await readToken(path)
  const field = format?.type === 'json' ? (format.subject_token_field_name ?? 'access_token') : undefined
  const subject =
    field === undefined ? source : String((jsonOf(source) as Record<string, unknown>)[field] ?? '')
  const token = await ask(file.token_url, {
    grant_type: 'urn:ietf:params:oauth:grant-type:token-exchange',
    audience: file.audience,
    scope: 'https://www.googleapis.com/auth/cloud-platform',
    requested_token_type: 'urn:ietf:params:oauth:token-type:access_token',
    subject_token: subject,
    subject_token_type: file.subject_token_type,
  })
  const impersonated = file.service_account_impersonation_url
  return impersonated === undefined ? token : impersonate(impersonated, token.text)
}

/** cloud.google.com/iam/docs/reference/credentials/rest/v1/projects.serviceAccounts/generateAccessToken, read 2026-11. */
async function impersonate(url: string, token: string): Promise<Token> {
  const reply = z
    .looseObject({ accessToken: z.string(), expireTime: z.string() })
    .safeParse(await post(url, JSON.stringify({ scope: [scope] }), { authorization: `Bearer ${token}` }))
  if (!reply.success) throw new ServerFault(`${new URL(url).origin} gives no token for the service account`)
  return { text: reply.data.accessToken, endsAt: Date.parse(reply.data.expireTime) }
}

/** Asks for a token by a form (RFC 6749). */
async function ask(
  url: string,
  form: Readonly<Record<string, string>>,
  client?: { readonly id: string; readonly secret: string },
): Promise<Token> {
  const basic = client && Buffer.from(`${client.id}:${client.secret}`).toString('base64')
  const reply = z.looseObject({ access_token: z.string(), expires_in: z.number().default(3600) }).safeParse(
    await post(url, new URLSearchParams(form).toString(), {
      'content-type': 'application/x-www-form-urlencoded',
      ...(basic === undefined ? {} : { authorization: `Basic ${basic}` }),
    }),
  )
  if (!reply.success) throw new ServerFault(`${new URL(url).origin} gives no token`)
  return { text: reply.data.access_token, endsAt: Date.now() + reply.data.expires_in * 1000 }
}

async function post(url: string, body: string, headers: Record<string, string>): Promise<unknown> {
  const { protocol, hostname, origin } = new URL(url)
  if (protocol !== 'https:' && !/^(?:localhost|127\.\d+\.\d+\.\d+)$/.test(hostname))
    throw new ServerFault(`${origin} would be sent credentials without encryption`)
  const given = { 'content-type': 'application/json', accept: 'application/json', ...headers }
  let text: string
  let status: number
  try {
    const signal = AbortSignal.timeout(tokenMs)
    const response = await fetch(url, { method: 'POST', body, headers: given, redirect: 'manual', signal })
    text = await response.text()
    status = response.status
  } catch (error) {
    throw new ServerFault(`no token from ${origin}: ${messageOf(error)}`, { cause: error })
  }
  if (status < 300) return jsonOf(text)
  // What it says repeats no secret: it is the code of an error, by RFC 6749.
  const { error, error_description: why } = (jsonOf(text) ?? {}) as {
    error?: unknown
    error_description?: unknown
  }
  const said = [error, why].filter((part) => typeof part === 'string').join(': ')
  throw new ServerFault(
    `${origin} refuses the credentials (HTTP ${status})${said === '' ? '' : `: ${said.slice(0, 200)}`}`,
    {
      hint: 'docs/engines.md lists where they come from.',
    },
  )
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

import { encodingsOf, runsOf, withoutRuns } from './secret-encodings.js'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Takes secrets out of a text; with `cut` also the part of one that a text which was cut begins or ends with, with `echo`
 * also what a server that was sent them may show of them: parts of 8 characters or more.
 */
export type Redactor = (text: string, kind?: 'cut' | 'echo') => string

/** Shorter values would black out ordinary words; what mixes letters and digits is none. */
const shortestSecret = 8
const shortestMixed = 5
/** Shorter parts of one tell nothing. */
const shortestPart = 4
const secretName = /_(KEY|TOKEN|PASSWORD|SECRET)$/i
/** `scheme://user:password@`; the password may hold `@`, as people forget to encode it. */
const urlPassword = /(:\/\/[^\s/:@"'<>]*):[^\s/"'<>]+@/g
/** `production`, `Asia/Jakarta` and `2025-12-31` are given to programs as keys are, and stand in queries. */
const ordinaryValue = /^(?:[^\d]{0,19}|[\d\W]*)$/

/**
 * Variables that a configuration names: what they hold is secret whatever they are called. They are the process's, as
 * its environment is: whoever shows an error last knows no configuration.
 */
const named = new Map<string, 'secret' | 'given'>()
let namings = 0

/** @param given variables for programs of the user: of these, what looks like an ordinary word is none */
export function hideVariables(secret: readonly string[], given: readonly string[]): void {
  for (const name of given) named.set(name, 'given')
  for (const name of secret) named.set(name, 'secret')
  namings++
}

/**
 * Text without secrets, recognised by value: what `*_KEY`, `*_TOKEN`, `*_PASSWORD`, `*_SECRET` and the variables that
 * the configuration names hold (8 characters or more, 5 of letters and digits), as it is and in base64, passwords of URLs in any variable, and passwords of URLs in the
 * text itself.
 */
export function redact(text: string, env: Environment): string {
  return createRedactor(env)(text)
}

/** `redact` for many texts: the environment is read once, and again when a configuration has named more of it. */
export function createRedactor(env: Environment): Redactor {
  let secrets: readonly string[] = []
  let runs: ReadonlySet<string> = new Set()
  let known = -1
  return (text, kind) => {
    if (known !== namings) {
      secrets = secretsOf(env)
      runs = runsOf(secrets)
      known = namings
    }
    const whole = secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
    return partless(whole, kind, secrets, runs).replace(urlPassword, (_match, user: string) => `${user}:***@`)
  }
}

function partless(
  text: string,
  kind: Parameters<Redactor>[1],
  secrets: readonly string[],
  runs: ReadonlySet<string>,
): string {
  switch (kind) {
    case 'cut':
      return withoutParts(text, secrets)
    case 'echo':
      return withoutRuns(text, runs)
    case undefined:
      return text
  }
}

/** Where secrets stand in texts that are no secret, by variable: the value of one may be an ordinary word. */
export function placesOfSecrets(
  texts: ReadonlyMap<string, string>,
  env: Environment,
): ReadonlyMap<string, readonly string[]> {
  const places = new Map<string, readonly string[]>()
  for (const [name, value] of Object.entries(env)) {
    const secrets = secretsOf({ [name]: value })
    const found = [...texts].flatMap(([place, text]) =>
      secrets.some((secret) => text.includes(secret)) ? [place] : [],
    )
    if (found.length > 0) places.set(name, found)
  }
  return places
}

/** Longest first, so that a secret that contains another one goes as a whole. */
function secretsOf(env: Environment): string[] {
  const secrets = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    if (isSecret(name, value)) secrets.add(value.trim())
    for (const password of urlPasswords(value)) secrets.add(password)
  }
  const forms = new Set([...secrets].filter(isLongEnough).flatMap(encodingsOf))
  return [...forms].sort((a, b) => b.length - a.length)
}

function isLongEnough(secret: string): boolean {
  const isMixed = /\d/.test(secret) && /[a-z]/i.test(secret)
  return secret.length >= (isMixed ? shortestMixed : shortestSecret)
}

function isSecret(name: string, value: string): boolean {
  const kind = secretName.test(name) ? 'secret' : named.get(name)
  return kind === 'secret' || (kind === 'given' && !ordinaryValue.test(value.trim()))
}

function withoutParts(text: string, secrets: readonly string[]): string {
  let from = 0
  let to = text.length
  for (const secret of secrets)
    for (let length = secret.length - 1; length >= shortestPart; length--) {
      if (length > from && text.startsWith(secret.slice(-length))) from = length
      if (length > text.length - to && text.endsWith(secret.slice(0, length))) to = text.length - length
    }
  return `${from > 0 ? '***' : ''}${text.slice(from, Math.max(from, to))}${to < text.length ? '***' : ''}`
}

/** As written and as decoded: a driver's message shows either. */
function urlPasswords(value: string): string[] {
  const password = value.includes('://') && URL.canParse(value) ? new URL(value).password : ''
  return password === '' ? [] : [password, decoded(password)]
}

function decoded(password: string): string {
  try {
    return decodeURIComponent(password)
  } catch (error) {
    if (error instanceof URIError) return password
    throw error
  }
}

/** Names of parameters that hold a secret. */
const secretParameter =
  /token|passw|pwd|secret|credential|signature|api[_-]?key|access[_-]?key|^(?:.*[_-])?key$|^auth(?:orization)?$|^sig$/i

/** Whether a header or parameter of this name holds a secret. */
export function isSecretName(name: string): boolean {
  return secretParameter.test(name)
}

/** Returns a description of the secret in an address, without showing it; undefined without a secret, or where it is not an address. */
export function addressSecret(address: string): string | undefined {
  const url = /^\w+:\/\//.test(address) && URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined) return undefined
  if (url.username !== '' || url.password !== '') return 'a password'
  const name = [...url.searchParams.keys()].find(isSecretName)
  return name === undefined ? undefined : `a secret in \`${name}=\``
}

/**
 * Why an engine cannot be written so, which stands in reports: its address, which a kind may precede
 * (`http:https://host/path`), holds a secret.
 */
export function engineProblem(engine: string): string | undefined {
  const secret = addressSecret(engine.replace(/^http:(?!\/\/)/, ''))
  return secret && `must not hold ${secret}: a token goes into the variable of \`engine_token_env\``
}

/** Why no header can carry a key, in words that do not show it. */
export function headerProblem(key: string): string | undefined {
  return /[^\t -~\x80-\xff]/.test(key) ? 'a line break or another character that cannot be sent' : undefined
}

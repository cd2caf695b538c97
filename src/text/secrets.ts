import { disguisesOf, encodingsOf, runsOf, withoutRuns } from './secret-encodings.js'
import { fragmentMask } from './secret-fragments.js'

export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Removes secrets from a text; with `cut` also the part of a secret at the beginning or end of a truncated
 * text, with `echo` also parts of 8 characters or more, which a server that received the secrets may return.
 */
export type Redactor = (text: string, kind?: 'cut' | 'echo') => string

/** Shorter values could be ordinary words and are not redacted, unless they mix letters and digits. */
const shortestSecret = 8
const shortestMixed = 5
/** Shorter parts of a secret reveal nothing. */
const shortestPart = 4
const secretName = /^(?:.*_)?(?:KEY|TOKEN|SECRET|PASSWORD|PASS|PAT|PWD|PASSPHRASE)$/i
/** Variables of well-known programs whose names end otherwise. */
const knownNames: ReadonlySet<string> = new Set([
  'PGPASSWORD',
  'SSHPASS',
  'REDISCLI_AUTH',
  'NPM_CONFIG__AUTH',
])
/** The working folder of a shell, and the one before. */
const folderNames: ReadonlySet<string> = new Set(['PWD', 'OLDPWD'])
/** Matches `scheme://user:password@`; the password may contain `@`, as it is often not encoded. */
const urlPassword = /(:\/\/[^\s/:@"'<>]*):[^\s/"'<>]+@/g
/**
 * Matches values such as `production`, `Asia/Jakarta` and `2025-12-31`, which programs receive like keys, and
 * which occur in queries.
 */
const ordinaryValue = /^(?:[^\d]{0,19}|[\d\W]*)$/

/**
 * Variables that a configuration names: their values are secret whatever their names. They are global to the
 * process, like its environment: the code that finally shows an error has no configuration.
 */
const named = new Map<string, 'secret' | 'given'>()
let namings = 0

/**
 * Registers variables whose values are secret.
 *
 * @param given variables for programs of the user: of these, values that look like ordinary words are not
 * secret
 */
export function hideVariables(secret: readonly string[], given: readonly string[]): void {
  for (const name of given) named.set(name, 'given')
  for (const name of secret) named.set(name, 'secret')
  namings++
}

/**
 * Returns the text without secrets, recognised by value: the values of `KEY`, `TOKEN`,
 * `SECRET`, `PASSWORD`, `PASS`, `PAT`, `PWD`, of variables that end so after a `_`, of known ones and of those
 * that the configuration names (8 characters or more, 5 of letters and digits), as they are, in base64 and
 * hexadecimal, in capitals, backwards, and any six letters and digits of them (`fragmentMask`); passwords of URLs in any variable, and passwords of URLs in the text
 * itself.
 */
export function redact(text: string, env: Environment): string {
  return createRedactor(env)(text)
}

/**
 * Returns `redact` for many texts: the environment is read once, and again when a configuration has named
 * more of it.
 */
export function createRedactor(env: Environment): Redactor {
  let secrets: readonly string[] = []
  let disguises: readonly string[] = []
  let mask = (text: string): string => text
  let runs: ReadonlySet<string> = new Set()
  let known = -1
  return (text, kind) => {
    if (known !== namings) {
      const plain = plainSecretsOf(env)
      secrets = formsOf(plain, encodingsOf)
      disguises = formsOf(plain, disguisesOf)
      mask = fragmentMask(plainSecretsOf(env, 'named'))
      runs = runsOf(secrets)
      known = namings
    }
    const whole = without(secrets, text)
    const clear = without(disguises, partless(whole, kind, secrets, runs))
    return mask(clear).replace(urlPassword, (_match, user: string) => `${user}:***@`)
  }
}

function without(secrets: readonly string[], text: string): string {
  return secrets.reduce<string>((rest, secret) => rest.replaceAll(secret, '***'), text)
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

/**
 * Returns where secrets occur in texts that are not secret, by variable: the value of one may be an ordinary
 * word.
 */
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

/** Returns secrets as they may be written. */
function secretsOf(env: Environment): string[] {
  return formsOf(plainSecretsOf(env), encodingsOf)
}

/**
 * @param which `named`: only those that are secret by their names, whose parts are no ordinary text either; what a program is
 * given may be an address
 */
function plainSecretsOf(env: Environment, which?: 'named'): string[] {
  const secrets = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    if (isSecret(name, value, which)) secrets.add(value.trim())
    for (const password of urlPasswords(value)) secrets.add(password)
  }
  return [...secrets].filter(isLongEnough)
}

/** Returns forms of secrets, longest first, so that a secret that contains another one is removed as a whole. */
function formsOf(secrets: readonly string[], forms: (secret: string) => readonly string[]): string[] {
  return [...new Set(secrets.flatMap(forms))].sort((a, b) => b.length - a.length)
}

function isLongEnough(secret: string): boolean {
  const isMixed = /\d/.test(secret) && /[a-z]/i.test(secret)
  return secret.length >= (isMixed ? shortestMixed : shortestSecret)
}

function isSecret(name: string, value: string, which?: 'named'): boolean {
  const upper = name.toUpperCase()
  const isNamedSo = (secretName.test(name) && !folderNames.has(upper)) || knownNames.has(upper)
  const kind = isNamedSo ? 'secret' : named.get(name)
  return kind === 'secret' || (which !== 'named' && kind === 'given' && !ordinaryValue.test(value.trim()))
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

/** Returns URL passwords as written and as decoded: a driver's message may contain either. */
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

/** Matches names of parameters that contain a secret. */
const secretParameter =
  /token|passw|pwd|secret|credential|signature|api[_-]?key|access[_-]?key|^(?:.*[_-])?key$|^auth(?:orization)?$|^sig$/i

/** Reports whether a header or parameter of this name contains a secret. */
export function isSecretName(name: string): boolean {
  return secretParameter.test(name)
}

/**
 * Returns a description of the secret in an address, without showing it; undefined without a secret, or if it
 * is not an address.
 */
export function addressSecret(address: string): string | undefined {
  const url = /^\w+:\/\//.test(address) && URL.canParse(address) ? new URL(address) : undefined
  if (url === undefined) return undefined
  if (url.username !== '' || url.password !== '') return 'a password'
  const name = [...url.searchParams.keys()].find(isSecretName)
  return name === undefined ? undefined : `a secret in \`${name}=\``
}

/**
 * Returns why an engine must not be written in this form, which is shown in reports: its address, possibly
 * after a kind (`http:https://host/path`), contains a secret.
 */
export function engineProblem(engine: string): string | undefined {
  // Who one is may be in the address of a server; that of a query service has nobody, and a path has no secrets.
  if (/^(?!https?:|duckdb:|sqlite:)\w+:/.test(engine)) {
    const secret = addressSecret(engine.replace(/^\w+:(?:\/\/)?(?:[^:@/?]*@)?/, 'server://'))
    return secret && `must not hold ${secret}: it goes into the environment or a file (docs/engines.md)`
  }
  const secret = addressSecret(engine.replace(/^http:(?!\/\/)/, ''))
  return secret && `must not hold ${secret}: a token goes into the variable of \`engine_token_env\``
}

/** Returns why a key cannot be sent in a header, without showing it. */
export function headerProblem(key: string): string | undefined {
  return /[^\t -~\x80-\xff]/.test(key) ? 'a line break or another character that cannot be sent' : undefined
}

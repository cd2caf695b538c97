import type { AttemptRecord, CaseRecord, RunDetail, RunRecord, SampleRecord } from './records.js'

/** Shorter values would black out ordinary words. */
const shortestSecret = 8
const secretName = /_(KEY|TOKEN|PASSWORD|SECRET)$/i
/** `scheme://user:password@`; the password may hold `@`, as people forget to encode it. */
const urlPassword = /(:\/\/[^\s/:@"'<>]*):[^\s/"'<>]+@/g

export type Redactor = (text: string) => string
export type Environment = Readonly<Record<string, string | undefined>>

/**
 * Text without secrets, recognised by value: what `*_KEY`, `*_TOKEN`, `*_PASSWORD` and `*_SECRET` variables hold
 * (8 characters or more), passwords of URLs in any variable, and passwords of URLs in the text itself.
 */
export function redact(text: string, env: Environment): string {
  return createRedactor(env)(text)
}

/** `redact` for many texts: the environment is read once. */
export function createRedactor(env: Environment): Redactor {
  const secrets = secretsOf(env)
  return (text) =>
    secrets
      .reduce((rest, secret) => rest.replaceAll(secret, '***'), text)
      .replace(urlPassword, (_match, user: string) => `${user}:***@`)
}

/** Longest first, so that a secret that contains another one goes as a whole. */
function secretsOf(env: Environment): string[] {
  const secrets = new Set<string>()
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue
    if (secretName.test(name)) secrets.add(value.trim())
    for (const password of urlPasswords(value)) secrets.add(password)
  }
  return [...secrets].filter((secret) => secret.length >= shortestSecret).sort((a, b) => b.length - a.length)
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

/** A run's record, or what is known of it when it begins. */
export function redactRun<T extends Pick<RunRecord, 'engine' | 'agent' | 'options'>>(
  run: T,
  clean: Redactor,
): T {
  return {
    ...run,
    engine: clean(run.engine),
    agent: clean(run.agent),
    options: redactTexts(run.options, clean),
  }
}

/** Ids, places and fixed words stay: a secret that happens to equal one must not break a lookup. */
export function redactCase(record: CaseRecord, clean: Redactor): CaseRecord {
  return {
    ...record,
    question: clean(record.question),
    cause: redactMaybe(record.cause, clean),
    sample: redactSample(record.sample, clean),
  }
}

export function redactSample(sample: SampleRecord, clean: Redactor): SampleRecord {
  return {
    ...sample,
    sql: redactMaybe(sample.sql, clean),
    message: redactMaybe(sample.message, clean),
    reason: clean(sample.reason),
    structure: redactTexts(sample.structure, clean),
    results: redactTexts(sample.results, clean),
    expectedSql: clean(sample.expectedSql),
  }
}

export function redactAttempt(attempt: AttemptRecord, clean: Redactor): AttemptRecord {
  return {
    ...attempt,
    subject: clean(attempt.subject),
    title: clean(attempt.title),
    reasoning: clean(attempt.reasoning),
    reason: redactMaybe(attempt.reason, clean),
    evidence: attempt.evidence === undefined ? undefined : redactTexts(attempt.evidence, clean),
    edits: attempt.edits.map((edit) => ({ ...edit, diff: clean(edit.diff) })),
  }
}

export function redactDetail(detail: RunDetail, clean: Redactor): RunDetail {
  return {
    ...detail,
    run: redactRun(detail.run, clean),
    cases: detail.cases.map((record) => redactCase(record, clean)),
    attempts: detail.attempts.map((attempt) => redactAttempt(attempt, clean)),
  }
}

/** Every text within plain data, but the fixed words that tell one kind of it from another. */
export function redactTexts<T>(value: T, clean: Redactor): T
export function redactTexts(value: unknown, clean: Redactor): unknown {
  if (typeof value === 'string') return clean(value)
  if (Array.isArray(value)) return value.map((part) => redactTexts(part, clean))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, part]) => [key, fixedWords.has(key) ? part : redactTexts(part, clean)]),
  )
}

const fixedWords = new Set(['kind', 'component', 'side', 'how'])

function redactMaybe(text: string | undefined, clean: Redactor): string | undefined {
  return text === undefined ? undefined : clean(text)
}

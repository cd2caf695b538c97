import type { Catalogue, QueryOutcome } from '../contract/engine.js'
import type { RoleRights } from '../contract/role-rights.js'
import type { ScratchSchema } from '../contract/scratch-schema.js'
import type { SentOutcome } from './packed-outcome.js'
import type { QueryCaps } from './protocol.js'
import type { RequestClock } from './request-clock.js'

/** What is told to every driver. Secrets are in settings and nowhere else: neither in the child's environment nor in its arguments. */
export interface DriverSettings {
  /** Milliseconds to wait for a connection. */
  readonly connectMs: number
  /** Schema in which copies of tables may be written, with its catalogue where it has one. */
  readonly scratch?: string | undefined
  /** Volatile functions that queries may call, with or without a schema. */
  readonly allowFunctions?: readonly string[] | undefined
}

/** How a database server is reached. */
export interface ServerSettings extends DriverSettings {
  /** A name, an address, or the folder of a Unix socket. */
  readonly host: string
  readonly port: number
  readonly user: string
  readonly password: string | undefined
  readonly database: string
  readonly tls: TlsSettings
  /** Accepts a role that may do anything. */
  readonly allowSuperuser: boolean
}

export interface TlsSettings {
  /**
   * `prefer`: encrypted where the server can; `require`: always, whoever answers; `verify-ca`, `verify-full`: only with a
   * certificate of a known authority, and for this host
   * (postgresql.org/docs/current/libpq-ssl.html).
   */
  readonly mode: 'disable' | 'prefer' | 'require' | 'verify-ca' | 'verify-full'
  /** Contents of PEM files. */
  readonly ca: string | undefined
  readonly certificate: string | undefined
  readonly key: string | undefined
}

/** How a service is reached that runs SQL by HTTP. */
export interface ServiceSettings extends DriverSettings {
  /** `https://host:port`, to which alone secrets are sent. */
  readonly origin: string
  readonly user: string
  readonly credentials: ServiceCredentials
  /** What names without one refer to; empty where there is none. */
  readonly catalog: string
  readonly schema: string
  /** What the kind of service has beyond these, as the address says it. */
  readonly options: Readonly<Record<string, string>>
  /** Certificate of an authority, PEM. */
  readonly ca: string | undefined
}

export type ServiceCredentials =
  | { readonly kind: 'none' }
  | { readonly kind: 'password'; readonly password: string }
  | { readonly kind: 'token'; readonly token: string }
  /** Read for each request: others renew it. */
  | { readonly kind: 'token-file'; readonly path: string }
  /** A key pair of Snowflake: PEM. */
  | {
      readonly kind: 'key-pair'
      readonly account: string
      readonly privateKey: string
      readonly passphrase: string | undefined
    }
  /** The content of a credentials file of Google: of a service account, a user or a workload identity. */
  | { readonly kind: 'google'; readonly file: string }
  /** A service principal of Databricks. */
  | { readonly kind: 'client'; readonly id: string; readonly secret: string }

/** A request to a child that asks a server, of which many run at once; `timeoutMs` is its deadline. */
export type ServerRequest =
  | { readonly kind: 'connect'; readonly settings: DriverSettings; readonly timeoutMs: number }
  | ({ readonly kind: 'query'; readonly sql: string; readonly timeoutMs: number } & Pick<
      QueryCaps,
      'rows' | 'bytes'
    >)
  | { readonly kind: 'explain'; readonly sql: string; readonly timeoutMs: number }
  | { readonly kind: 'catalogue'; readonly timeoutMs: number }
  | { readonly kind: 'fingerprint'; readonly timeoutMs: number }
  | { readonly kind: 'scratch-tables'; readonly timeoutMs: number }
  | ({ readonly kind: 'create-scratch'; readonly timeoutMs: number } & Parameters<ScratchSchema['create']>[0])
  | { readonly kind: 'drop-scratch'; readonly names: readonly string[]; readonly timeoutMs: number }
  /** Ends what runs on the server, and then the child. */
  | { readonly kind: 'close'; readonly timeoutMs: number }

export interface ServerMessage {
  readonly id: number
  readonly request: ServerRequest
}

export type ServerReplyBody =
  /** Lines that the user should know. */
  | { readonly kind: 'connected'; readonly notes: readonly string[]; readonly rights: RoleRights | undefined }
  | { readonly kind: 'outcome'; readonly outcome: SentOutcome }
  | { readonly kind: 'catalogue'; readonly catalogue: Catalogue }
  | { readonly kind: 'fingerprint'; readonly text: string }
  | { readonly kind: 'names'; readonly names: readonly string[] }
  | {
      readonly kind: 'unavailable'
      readonly message: string
      readonly hint: string | undefined
      /** It has waited for others for as long as it may. */
      readonly isBusy: boolean
    }
  /** The server gives no more to this program than what its other requests use: to be asked when one of them has ended. */
  | { readonly kind: 'no-slot'; readonly message: string }

export interface ServerReply {
  readonly id: number
  readonly body: ServerReplyBody
}

/** What a child does in the scratch schema. Methods throw `ServerFault`, or what the driver throws. */
export interface ScratchTables {
  tables(clock: RequestClock): Promise<readonly string[]>
  create(table: Parameters<ScratchSchema['create']>[0], clock: RequestClock): Promise<void>
  drop(names: readonly string[], clock: RequestClock): Promise<void>
}

/** What a child does on one server. Each method ends what it began on the server before it settles, its clock at an end or not. */
export interface ServerSession {
  readonly notes: readonly string[]
  /** Where the server tells them. */
  readonly rights?: RoleRights | undefined
  query(sql: string, caps: Pick<QueryCaps, 'rows' | 'bytes'>, clock: RequestClock): Promise<QueryOutcome>
  explain(sql: string, clock: RequestClock): Promise<QueryOutcome>
  catalogue(clock: RequestClock): Promise<Catalogue>
  /** Returns a text that changes when the data may have changed. */
  fingerprint(clock: RequestClock): Promise<string>
  /** Ends the connections that are idle. */
  end?(): Promise<void>
  /** Where the settings name a schema for it. */
  readonly scratch?: ScratchTables | undefined
}

export interface ServerDriver<Settings extends DriverSettings = ServerSettings> {
  /** Connects and checks who one is. Throws `ServerFault`. */
  connect(settings: Settings, clock: RequestClock): Promise<ServerSession>
}

/**
 * What a fault is of: `busy`: of others, who have what the request waited for; `silent`: the network; `no-slot`: of this
 * program, whose other requests have all that the server gives it.
 */
export type FaultKind = 'busy' | 'silent' | 'no-slot'

/** The server cannot be reached, refuses the user, or fails: infrastructure, never a wrong answer. */
export class ServerFault extends Error {
  readonly hint: string | undefined
  readonly kind: FaultKind | undefined

  constructor(
    message: string,
    { hint, cause, kind }: { hint?: string | undefined; cause?: unknown; kind?: FaultKind | undefined } = {},
  ) {
    super(message, { cause })
    this.name = 'ServerFault'
    this.hint = hint
    this.kind = kind
  }
}

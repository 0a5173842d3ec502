import type { AccountConfig } from '../account/account.ts'
import type { ConnectLink } from './connect-links.ts'
import type { SharedLogins } from '../account/tokens/login-store.ts'
import type { AccountRef, Clock, Locks } from '@mcp-toolkits/core/base'
import type { ConnectStep, Message } from '@mcp-toolkits/core/errors'
import type { CallResult, Effect, JsonSchema, OtherNames, Tool } from '@mcp-toolkits/core/tool'
import type { Environment, Fetch, Secret, Telemetry } from '@mcp-toolkits/core/upstream'
import type { SharedStore } from '../storage/shared-store.ts'
import type { Log } from './log.ts'

/** How an operator started the server; read once from the command line and the environment. */
export interface Settings {
  /** Serve the embedded default even though credentials are present. */
  readonly embedded: boolean
  /** Refuse the embedded default instead of serving it where no account is configured. */
  readonly accountRequired?: boolean
  /** Whether the server is one of several on a database: they need one account, because each would have a separate embedded default. */
  readonly isReplica?: boolean
  readonly dataDirectory: string
  /** Whether the operator chose that directory, so that commands in errors must name it. */
  readonly dataDirectoryIsChosen?: boolean
  /** What the embedded default of a new data directory contains: a name or the path of a file; `company` when absent. */
  readonly seed?: string
  /** The logins in the database of `--store`; those in the data directory when absent. */
  readonly sharedLogins?: SharedLogins
  /** The name of the login to use; `default` when absent. */
  readonly profile?: string
  /** Identifies the person whose accounts they are, where the server acts for many; absent where all calls use one account. */
  readonly owner?: string
  readonly readOnly: boolean
  /** Whether each caller is a person with a token, who cannot change how the server was started. */
  readonly servesPeople?: boolean
  /** Whether clients on other machines are served, whose browsers cannot open a page on this one. */
  readonly servesOtherMachines?: boolean
  /** Only these tools, by canonical or advertised name; all of them when absent. */
  readonly tools?: readonly string[]
  readonly toolNames: 'safe' | 'canonical'
  /** How long a question to a person may wait for its answer, in seconds; 0 never asks. */
  readonly questionSeconds?: number
  /** Hosts that may be fetched although they are not public, as the command line names them; absent when it says nothing. */
  readonly allowPrivateUrls?: readonly string[]
  /** The largest file that may be uploaded, in bytes; absent when only the vendor's limit applies. */
  readonly maxUploadBytes?: number
  readonly environment: Environment
}

/** Where calls go. Found without opening anything, so that it can be said before the first call. */
export type Upstream = { readonly kind: 'embedded' } | { readonly kind: 'vendor'; readonly url: string }

/** An open upstream: the vendor or its emulator. */
export interface Connection<Context> {
  /** Read for each call, because it may depend on the login. */
  readonly context: Context | Promise<Context>
  /** Tells accounts apart: idempotency keys and repeats count within one. Read for each call, because it may depend on the login. */
  readonly accountId?: string | (() => string | Promise<string>)
  /** Fields that `status` adds, such as the account and what is queued. */
  readonly status: () => Promise<Readonly<Record<string, unknown>>>
  /** The scopes that the credentials have now; undefined when unknown. */
  readonly scopes?: () => Promise<readonly string[] | undefined>
  /** Continues the work that an earlier run left behind. */
  readonly resume?: () => void
  /** Whether it goes on with what calls have left, so that it must stay open; never when absent. */
  readonly hasWork?: () => Promise<boolean>
  /** The pages that wait for their person and end with this connection; undefined where none does. */
  readonly pendingPages?: () => PendingPages | undefined
  readonly close: () => Promise<void>
}

export interface PendingPages {
  readonly ended: Promise<unknown>
}

/** The emulator of a vendor, as far as a server needs it. */
export interface EmulatorHandle {
  readonly fetch: Fetch
  readonly listen: (options: { readonly port: number; readonly serves?: (path: string) => boolean }) => Promise<EmulatorListener>
  /** Says that the seed of the settings was not used; undefined where it was. */
  readonly seedNotice?: () => Promise<string | undefined>
  readonly close: () => void | Promise<void>
}

export interface EmulatorListener {
  readonly url: string
  /** Needed to set faults over HTTP. */
  readonly token: string
  readonly close: () => Promise<void>
}

/** A tool as the build recorded it: all that `tools/list` and the filters need, without the tool's code. */
export interface ListedTool {
  /** Canonical name without the prefix. */
  readonly name: string
  readonly title: string
  /** A text, or the JSON of a message that mentions tools; likewise the descriptions in the schemas. */
  readonly description: string | ReturnType<Message['toJSON']>
  readonly effect: Effect
  readonly canRead: boolean
  readonly scopes: readonly string[]
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema
  readonly annotations: Readonly<Record<string, boolean>>
}

/** What callers call the tools and what these act on. The words lead to corrections of unknown names and are never carried out. */
export interface ToolVocabulary {
  /** Synonyms in the singular, by the word in the names of tools: `{ issue: ['ticket', 'task'] }`. */
  readonly words?: Readonly<Record<string, readonly string[]>>
  /** Words that add nothing, such as the vendor's name. */
  readonly fillers?: readonly string[]
  /** Other names of tools; as an object, each with the arguments that it implies: `{ 'list my issues': { assignee: '@me' } }`. */
  readonly names?: Readonly<Record<string, OtherNames>>
}

/** The variables of one server, and those that people may expect it to read. */
export interface AppVariables {
  /** Those that it reads, without the ones that all servers share. */
  readonly own: readonly string[]
  /** Variables that other programs for the same vendor read and this one never does, each with its own variable for the same thing. */
  readonly usual: Readonly<Record<string, string>>
  /** Which of the usual ones hold the path of a file. */
  readonly paths?: readonly string[]
}

/** One server: its names, its tools, and how it reaches its vendor. */
export interface ServerDefinition<Context> {
  /** Name of the app: `event-pipeline`. */
  readonly name: string
  readonly title: string
  readonly version: string
  /** Prefix of the canonical tool names: `EventPipelineApi`. */
  readonly prefix: string
  /** Short name for a client's configuration, so that prefixed tool names stay within 64 characters. */
  readonly shortName: string
  readonly vendor: string
  /** What a model reads about the server as a whole. */
  readonly instructions: string | Message
  /** Names that earlier versions had, canonical to canonical. */
  readonly aliases?: Readonly<Record<string, string>>
  /** Loaded for names that no tool has. */
  readonly loadToolVocabulary?: () => Promise<ToolVocabulary>
  /** How a person connects an account: the sentence that `status` and the embedded notice end with. */
  readonly connectHint: string
  /** Credentials and OAuth provider of the account; absent where people cannot sign in. */
  readonly account?: AccountConfig
  /** The variable that holds the key of an account, where people enter keys; absent where they sign in. */
  readonly keyVariable?: string
  /** Asks the vendor about a key. Throws `Unauthenticated` for one that it refuses, and `Unavailable`. */
  readonly checkKey?: (settings: Settings, key: Secret, signal: AbortSignal) => Promise<void>
  /** `tools/list`, computed when the package was built. */
  readonly listedTools: readonly ListedTool[]
  /** Loaded to find misspelt variables; only those that all servers share are known when it is absent. */
  readonly loadVariables?: () => Promise<AppVariables>
  readonly loadTools: () => Promise<readonly Tool<Context>[]>
  /** Loads the code with which a connection is opened, for the embedded default or an account. Opens none. */
  readonly preloadConnection?: (isEmbedded: boolean) => Promise<unknown>
  /** Throws `Unauthenticated` when what is configured cannot be used. */
  readonly upstream: (settings: Settings) => Upstream
  readonly connect: (settings: Settings, options?: ConnectOptions) => Promise<Connection<Context>>
  /** For a server whose connections to the accounts of many people share something; `connect` is used when absent. */
  readonly connectMany?: (settings: Settings, options?: ConnectOptions) => ManyConnections<Context>
  /** Whether an earlier run may have left work behind, so that a server connects when it starts and not with the first call. */
  readonly hasPendingWork?: (settings: Settings) => boolean
  /** For `doctor`: what the data directory holds that no server sends any more, in a sentence. */
  readonly strandedWork?: (settings: Settings) => Promise<string | undefined>
  /** How long a person who is asked may take to answer, in milliseconds; ten minutes when absent, five for a sign-in. */
  readonly elicitationTimeoutMs?: number
  /** The tools whose results can have several megabytes, so that one client gets few of them at a time. */
  readonly largeResults?: readonly string[]
  /** The tools that return the content of files; absent where there are none. */
  readonly downloads?: DownloadTools
  /** The tool that uploads files; absent where there is none. It fetches URLs, so that `privateUrlsVariable` is present too. */
  readonly uploads?: UploadTool
  /** The variable that names hosts which may be fetched although they are not public; absent where no URL of a caller is fetched. */
  readonly privateUrlsVariable?: string
  /** Commands that only this server has. */
  readonly commands?: Readonly<Record<string, AppCommand>>
  readonly emulator: (settings: Settings) => Promise<EmulatorHandle & { readonly hint: string }>
}

/** Opens the connections of many people, and what they share. */
export interface ManyConnections<Context> {
  readonly connect: (settings: Settings, options?: ConnectOptions) => Promise<Connection<Context>>
  /** What calls have left for later; absent where calls leave nothing, or where people enter no keys. */
  readonly workForKeys?: WorkForKeys
  /** Closes what the connections share, after the connections themselves are closed. */
  readonly close: () => Promise<void>
}

/** What calls have left to be done with keys that people have entered. */
export interface WorkForKeys {
  readonly waiting: () => Promise<readonly WaitingWork[]>
  /** Opens the work again that was parked when the person ended this key earlier. Resolves with its number of items. */
  readonly reopen: (account: AccountRef, key: Secret) => Promise<number>
}

/** What waits for one key of one account. */
export interface WaitingWork {
  readonly account: AccountRef
  readonly isFor: (key: Secret) => boolean
  /** Keeps it from being done, because its person has ended the key or entered another; resolves with how much it was. */
  readonly park: () => Promise<number>
}

/** The tools that read content which may be too large for one result. */
export interface DownloadTools {
  /** Returns a whole file, or says that it has to be read in parts. */
  readonly whole: string
  /** Returns one part. */
  readonly part: string
  /** The arguments for the first or next part, from the result before it; undefined when nothing is missing. */
  readonly next: (data: CallResult['data']) => Readonly<Record<string, unknown>> | undefined
  /** The expected size and hash of the file, from the result of `whole`. */
  readonly expected: (data: CallResult['data']) => { readonly bytes: number; readonly md5?: string | undefined }
}

/** The tool that stores what is at a URL. */
export interface UploadTool {
  readonly tool: string
  /** The parameter that takes the URL. */
  readonly source: string
  /** The parameter that takes the name of the new file. */
  readonly name: string
}

/** A command of one server. */
export interface AppCommand {
  /** `outbox list | retry [ID]` */
  readonly usage: string
  /** For the help. */
  readonly description: string
  /** `outbox list` */
  readonly example: string
  /** Whether it accepts --json. */
  readonly takesJson?: boolean
  /** Whether it accepts --store. */
  readonly takesStore?: boolean
  readonly run: (settings: Settings, operands: readonly string[], options: AppCommandOptions) => Promise<CommandOutput>
}

export interface AppCommandOptions {
  readonly json: boolean
  /** What the replicas share; absent for a server that works alone. */
  readonly shared?: SharedStore
}

/** What a command prints, and its exit code: with 0 on standard output, otherwise on standard error. */
export interface CommandOutput {
  readonly code: 0 | 1 | 2
  readonly text: string
}

export interface ConnectOptions {
  /** Used instead of `globalThis.fetch`, or of the embedded default. */
  readonly fetch?: Fetch
  /** For problems that no call can report. */
  readonly log?: Log
  /** The source of time; the system's when absent. */
  readonly clock?: Clock
  /** Measures what is sent to the vendor; nothing is measured when absent. */
  readonly telemetry?: Telemetry
  /** What the replicas of this server share; absent for a server that works alone. The connection does not close it. */
  readonly shared?: SharedStore
  /** Named locks instead of separate ones for this connection. */
  readonly locks?: Locks
  /** Resolves with whether the person still gives the key of this connection. If not, what waits for it is parked. Present where people enter keys. */
  readonly parkUnlessKeyPresent?: () => Promise<boolean>
  /** Makes a page at which the person of this connection does something in a browser; present where the server acts for many people. */
  readonly connectLink?: (step: ConnectStep) => Promise<ConnectLink>
}

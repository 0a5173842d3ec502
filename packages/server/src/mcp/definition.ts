import type { AccountConfig } from '../account/account.ts'
import type { ConnectLink } from './connect-links.ts'
import type { AccountRef, Clock, Locks } from '@mcp-toolkits/core/base'
import type { ConnectStep, Message } from '@mcp-toolkits/core/errors'
import type { OtherNames, Tool, ToolWish } from '@mcp-toolkits/core/tool'
import type { Fetch, Secret, Telemetry } from '@mcp-toolkits/core/upstream'
import type { SharedStore } from '../storage/shared-store.ts'
import type { App } from './apps/app.ts'
import type { Extension } from './extension.ts'
import type { ListedTool } from './listing/listed-tool.ts'
import type { Log } from './log.ts'
import type { SkillsAndResources } from './reading/readable.ts'
import type { Settings } from './settings.ts'

export type { App } from './apps/app.ts'
export type { ListedTool } from './listing/listed-tool.ts'
export type { SkillsAndResources, Skill, ToolResource } from './reading/readable.ts'
export type { Settings } from './settings.ts'

/** The target of calls, found without opening anything, so that it can be reported before the first call. */
export type Upstream = { readonly kind: 'embedded' } | { readonly kind: 'vendor'; readonly url: string }

/** An open upstream: the vendor or its emulator. */
export interface Connection<Context> {
  /** The tools' context, read for each call because it may depend on the login. */
  readonly context: Context | Promise<Context>
  /** Identifies the account: keys and repeats are scoped to it. Read for each call because it may depend on the login. */
  readonly accountId?: string | (() => string | Promise<string>)
  /** Fields that `status` adds, such as the account and the queue. */
  readonly status: () => Promise<Readonly<Record<string, unknown>>>
  /** The credentials' current scopes; undefined if unknown. */
  readonly scopes?: () => Promise<readonly string[] | undefined>
  /** Continues the work that an earlier run left behind. */
  readonly resume?: () => void
  /** True while work from calls is unfinished, so the connection must stay open; false if absent. */
  readonly hasWork?: () => Promise<boolean>
  /** Pages that wait for a person and end with this connection; undefined if there are none. */
  readonly pendingPages?: () => PendingPages | undefined
  /** Shows a call in the embedded default's workspace. */
  readonly recordCall?: ((call: EmbeddedCall) => void) | undefined
  readonly close: () => Promise<void>
}

/** A call to the embedded default, for people watching its workspace. */
export interface EmbeddedCall {
  /** Identifies the call in the requests that it sent. */
  readonly id: string
  readonly tool: string
  /** `ok`, `replayed`, or the error's code. */
  readonly outcome: string
  /** Duration in milliseconds. */
  readonly ms: number
  /** Arguments and answer as JSON without secrets; rendered later, so that the call does not wait. */
  readonly texts: () => { readonly args: string; readonly answer: string }
}

export interface PendingPages {
  readonly ended: Promise<unknown>
}

/** The parts of a vendor's emulator that a server needs. */
export interface EmulatorHandle {
  readonly fetch: Fetch
  readonly listen: (options: ListenOptions) => Promise<EmulatorListener>
  readonly recordCall?: (call: EmbeddedCall) => void
  /** Sentence saying that the seed in the settings was not used; undefined if it was. */
  readonly seedNotice?: () => Promise<string | undefined>
  readonly close: () => void | Promise<void>
}

interface ListenOptions {
  readonly port: number
  readonly serves?: (path: string) => boolean
  /** A directory where several servers' workspaces find each other. */
  readonly workspaces?: string
  /** Tasks that the pages show and can cancel. */
  readonly tasks?: ShownTasks | undefined
}

/** A server's tasks, for people watching the embedded default's workspace. */
export interface ShownTasks {
  readonly list: () => Promise<readonly ShownTask[]>
  readonly cancel: (id: string) => Promise<void>
}

export interface ShownTask {
  readonly id: string
  readonly tool: string
  readonly status: string
  readonly message?: string | undefined
  readonly done?: number | undefined
  readonly total?: number | undefined
  /** Time of the task's call. */
  readonly at: string
}

export interface EmulatorListener {
  readonly url: string
  /** Needed to set faults over HTTP. */
  readonly controlToken: string
  readonly close: () => Promise<void>
}

/** Words that callers use for tools and for what tools act on. They can lead to a proposed correction, but never cause a write. */
export interface ToolVocabulary {
  /** Synonyms in the singular, by the word used in tool names: `{ issue: ['ticket', 'task'] }`. */
  readonly words?: Readonly<Record<string, readonly string[]>>
  /** Words that add nothing, such as the vendor's name. */
  readonly fillers?: readonly string[]
  /** Other names for tools; in an object, each name with the arguments it implies: `{ 'list my issues': { assignee: '@me' } }`. */
  readonly names?: Readonly<Record<string, OtherNames>>
  /** Wishes that a name, or a name with arguments, can express, the most specific first. */
  readonly wishes?: readonly ToolWish[]
}

/** One server's variables, and others that people may expect the server to read. */
export interface AppVariables {
  /** Variables that only this server reads. */
  readonly own: readonly string[]
  /** Variables that other programs for the vendor read and this server does not, each mapped to this server's equivalent. */
  readonly usual: Readonly<Record<string, string>>
  /** The usual variables that hold a file's path. */
  readonly paths?: readonly string[]
}

/** One server: its names, its tools, and how it reaches its vendor. */
export interface ServerDefinition<Context> {
  /** The app's name: `event-pipeline`. */
  readonly name: string
  readonly title: string
  readonly version: string
  /** Prefix of the canonical tool names: `EventPipelineApi`. */
  readonly prefix: string
  /** Name for a client's configuration, short enough to keep prefixed tool names within 64 characters. */
  readonly shortName: string
  readonly vendor: string
  /** Instructions for a model about the server as a whole. */
  readonly instructions: string | Message
  /** Sentence on connecting an account, at the end of `status` and of the embedded notice. */
  readonly connectHint: string | Message
  /** The account's credentials and OAuth provider; absent if there is no sign-in. */
  readonly account?: AccountConfig
  /** `tools/list`, computed when the package was built. */
  readonly listedTools: readonly ListedTool[]
  /** Tools that only its apps call. */
  readonly toolsForApps?: ToolsForApps<Context>
  /** Groups of additional tools, by the names with which operators add them. */
  readonly toolsets?: Readonly<Record<string, Toolset<Context>>>
  /** Returns the target of calls. Throws `Unauthenticated` for unusable settings. */
  readonly upstream: (settings: Settings) => Upstream
  readonly extensions?: readonly Extension[]
  readonly load: Loaders<Context>
}

/** A group of tools that a server offers only on request; both parts are then loaded. */
export interface Toolset<Context> {
  /** The tools' part of `tools/list`, computed when the package was built. */
  readonly listed: () => Promise<{ readonly listedTools: readonly ListedTool[] }>
  readonly tools: () => Promise<{ readonly tools: readonly Tool<Context>[] }>
}

/** Tools that no model sees, as the build recorded them. */
interface ToolsForApps<Context> {
  readonly listed: readonly ListedTool[]
  readonly tools: () => Promise<readonly Tool<Context>[]>
}

/** Imports those parts of a server that startup does not need, each on first use. */
export interface Loaders<Context> {
  readonly tools: () => Promise<readonly Tool<Context>[]>
  readonly connector: () => Promise<Connector<Context>>
  /** Loaded for unknown tool names. */
  readonly vocabulary?: () => Promise<ToolVocabulary>
  /** Loaded for a client that lists or reads skills, prompts or resources; if absent, the server has none. */
  readonly readable?: () => Promise<SkillsAndResources>
  /** Loaded for a client that shows apps; if absent, the server has none. */
  readonly apps?: (() => Promise<{ readonly apps: readonly App[] }>) | undefined
  /** Loaded for misspelt variables; if absent, only those shared by all servers are known. */
  readonly variables?: () => Promise<AppVariables>
}

/** Reaches the vendor, or its emulator. */
export interface Connector<Context> {
  readonly connect: Connect<Context>
  /** For a multi-user server whose connections share state; if absent, `connect` is used. */
  readonly connectMany?: (settings: Settings, options?: ConnectOptions) => ManyConnections<Context>
  /** Loads the code that `connect` needs for the embedded default or an account. Opens nothing. */
  readonly preload?: (isEmbedded: boolean) => Promise<unknown>
  /** Opens only the emulator, with a hint on how other clients reach it. */
  readonly emulator: (settings: Settings) => Promise<EmulatorHandle & { readonly hint: string }>
}

export type Connect<Context> = (settings: Settings, options?: ConnectOptions) => Connection<Context> | Promise<Connection<Context>>

/** Opens many people's connections, with their shared state. */
export interface ManyConnections<Context> {
  readonly connect: Connect<Context>
  /** Work that calls have left for later; absent if calls leave no work, or if people enter no keys. */
  readonly workForKeys?: WorkForKeys
  /** Closes the shared state, after the connections themselves are closed. */
  readonly close: () => Promise<void>
}

/** Work that calls have left, to be done with keys that people have entered. */
export interface WorkForKeys {
  readonly waiting: () => Promise<readonly WaitingWork[]>
  /** Resumes the work put on hold when the person removed this key. Resolves with the number of items. */
  readonly reopen: (account: AccountRef, key: Secret) => Promise<number>
}

/** Work that waits for one key of one account. */
export interface WaitingWork {
  readonly account: AccountRef
  readonly isFor: (key: Secret) => boolean
  /** Puts the work on hold, because the person has removed or replaced the key. Resolves with the number of items. */
  readonly park: () => Promise<number>
}

export interface ConnectOptions {
  /** Replaces `globalThis.fetch`, or the embedded default's fetch. */
  readonly fetch?: Fetch
  /** Log for problems that no call can report. */
  readonly log?: Log
  /** The source of time; if absent, the system's. */
  readonly clock?: Clock
  /** Measures requests to the vendor; nothing is measured if absent. */
  readonly telemetry?: Telemetry
  /** State shared by this server's replicas; absent for a single server. The connection does not close this state. */
  readonly shared?: SharedStore
  /** Named locks shared with other connections; if absent, this connection opens its own. */
  readonly locks?: Locks
  /** Makes a page where this connection's person completes a step in a browser; present on a multi-user server. */
  readonly connectLink?: (step: ConnectStep) => Promise<ConnectLink>
}

import type { Readable, Writable } from 'node:stream'
import type { JsonObject } from '@mcp-toolkits/core/base'
import type { Message } from '@mcp-toolkits/core/errors'
import type { FileContent, JsonSchema } from '@mcp-toolkits/core/tool'
import type { Secret } from '@mcp-toolkits/core/upstream'
import type { DescribedOption } from '../cli/options/option.ts'
import type { SharedStore } from '../storage/shared-store.ts'
import type { Answer } from './answers/answer.ts'
import type { CallKind } from './calls/call-limiter.ts'
import type { ListedTool } from './listing/listed-tool.ts'
import type { Settings } from './settings.ts'

/** An ability of one server beside its tools. The framework asks each extension for its part, and knows none of them. */
export interface Extension {
  /** The key of an account, for a vendor whose keys people enter. */
  readonly key?: ApiKey
  /** Options of every command, by their names in a program. Each sets its variable. */
  readonly options?: Readonly<Record<string, DescribedOption & { readonly variable: string }>>
  /** The option of `call` with which some tools read or write a file of this machine. */
  readonly fileOption?: FileOption
  readonly commands?: Readonly<Record<string, AppCommand>>
  /** Ways to give the content of a file, beside the embedded resource. */
  readonly content?: ContentWays
  /** Calls of which only a few may be in flight at a time, by tool. */
  readonly callKinds?: Readonly<Record<string, CallKind>>
  /** Tools whose calls may take so long that they continue as tasks, for clients that know those. */
  readonly longCalls?: readonly string[]
  /** Those whose work continues without a call. To cancel one that no process is making, it is made again and then ended. */
  readonly backgroundCalls?: readonly string[]
  /** Facts that `status` adds. */
  readonly facts?: (settings: Settings) => Readonly<Record<string, unknown>>
  /** Findings that `doctor` adds. */
  readonly checks?: (settings: Settings) => Promise<readonly Check[]>
  /** True if an earlier run may have left work behind, so that a server connects when it starts and not with the first call. */
  readonly hasPendingWork?: (settings: Settings) => boolean
}

/** Ways in which a call or the operator lets the content of files be given. */
export interface ContentWays {
  /** The tools whose results have such content, without their prefix. */
  readonly tools: readonly string[]
  /** Fields that the way of the operator's choice adds to their results; undefined for an embedded resource. */
  readonly fields: (settings: Pick<Settings, 'environment'>) => JsonSchema | undefined
  readonly load: () => Promise<(content: FileContent, request: ContentRequest) => Promise<GivenContent>>
}

/** A result with content, and who asks for it how. */
export interface ContentRequest {
  readonly settings: Settings
  readonly data: JsonObject
  /** The way that the call names, as received; that of the operator's choice when undefined. */
  readonly way: unknown
  /** Makes an address at which the content can be fetched for a while; absent on stdio. */
  readonly link?: ((content: FileContent) => Promise<ContentLink>) | undefined
  /** True for a client on stdio, which shares this machine. */
  readonly isLocal: boolean
}

export interface ContentLink {
  readonly url: string
  readonly expiresAt: number
}

/** The place of content that has been given. */
export interface GivenContent {
  /** Fields of the result. */
  readonly fields?: JsonObject
  /** Fields for programs alone, which are left out of the text for a model. */
  readonly programFields?: JsonObject
  readonly notice?: string | Message
  /** True if the content stays an embedded resource. */
  readonly isEmbedded: boolean
}

export interface ApiKey {
  readonly variable: string
  /** Asks the vendor about a key. Throws `Unauthenticated` for one that it refuses, and `Unavailable`. */
  readonly check?: (settings: Settings, key: Secret, signal: AbortSignal) => Promise<void>
}

export interface Extended {
  readonly extensions?: readonly Extension[]
}

/** One finding of `doctor`. Only a problem keeps the server from working. */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'problem' | 'warning' | 'skipped'
  readonly text: string
  /** Remedy, for the person. */
  readonly fix?: string
}

/** A command of one server. */
export interface AppCommand {
  /** `outbox list | retry [ID]` */
  readonly usage: string
  /** For the help. */
  readonly description: string
  /** `outbox list` */
  readonly example: string
  readonly options?: readonly ('json' | 'store')[]
  readonly run: (settings: Settings, operands: readonly string[], options: AppCommandOptions) => Promise<CommandOutput>
}

export interface AppCommandOptions {
  readonly json: boolean
  /** State that replicas share; absent for a server that works alone. */
  readonly shared?: SharedStore
}

/** Text that a command prints, and its exit code: with 0 on standard output, otherwise on standard error. */
export interface CommandOutput {
  readonly code: 0 | 1 | 2
  readonly text: string
}

/** An option of `call` that takes the path of a file of this machine, or `-`. */
export interface FileOption extends DescribedOption {
  /** The tools that it goes with, without their prefix. */
  readonly tools: readonly string[]
  /** A way to use it, and its effect. */
  readonly usage: readonly [usage: string, description: string]
  /** Text for the help of such a tool. */
  readonly toolHelp: string
  /** Parameters that it takes the place of. */
  readonly replaces: readonly string[]
  /** Said about a result with content that was not written to a file. */
  readonly contentHint?: string
  readonly load: () => Promise<(call: FileCall) => Promise<OpenFile>>
}

/** A call with the path of a file. */
export interface FileCall {
  readonly settings: Settings
  readonly tool: ListedTool
  /** As they were written. */
  readonly args: unknown
  readonly file: string
  readonly json: boolean
  readonly input: Readable
  readonly output: Writable & { readonly isTTY?: boolean }
  readonly signal: AbortSignal
}

/** The file of one call. It is checked before anything is read or written. */
export interface OpenFile {
  /** Instead of those of the call. */
  readonly settings?: Settings
  /** The arguments instead of the written ones, and the ones that identify them to an idempotency key. */
  readonly completed?: { readonly args: JsonObject; readonly given: JsonObject }
  /** Makes the call and writes its content. */
  readonly call?: (args: unknown, server: CalledServer) => Promise<Answer>
  /** True if the content of a result takes the place of the result on standard output. */
  readonly isPrinted?: boolean
  readonly close?: () => Promise<void>
}

/** The tools of a server, for a call that takes several. */
export interface CalledServer {
  readonly call: (tool: ListedTool, args: unknown) => Promise<Answer>
  /** Undefined for a tool that is hidden. */
  readonly find: (name: string) => ListedTool | undefined
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined
}

/** Undefined for a server that people sign in to. */
export function apiKeyOf({ extensions = [] }: Extended): ApiKey | undefined {
  return extensions.find(({ key }) => key)?.key
}

/** The commands that only this server has. */
export function commandsOf({ extensions = [] }: Extended): Readonly<Record<string, AppCommand>> {
  return Object.fromEntries(extensions.flatMap(({ commands = {} }) => Object.entries(commands)))
}

export function fileOptionsOf({ extensions = [] }: Extended): readonly FileOption[] {
  return extensions.flatMap(({ fileOption = [] }) => fileOption)
}

/** Finds an option of an extension that cannot be used, before a call does, and says why; undefined when all can. */
export function optionProblem(
  { extensions = [] }: Extended,
  { environment }: Pick<Settings, 'environment'>,
  spell: (key: string, option: DescribedOption & { readonly variable: string }) => string,
): string | undefined {
  for (const [key, option] of extensions.flatMap(({ options = {} }) => Object.entries(options))) {
    const problem = option.kind.problem?.(environment[option.variable] ?? '')
    if (problem !== undefined) return `${spell(key, option)}: ${problem}`
  }
  return undefined
}

/** The ways to give the content of a tool's results; undefined if there is only the embedded resource. */
export function contentWaysOf({ extensions = [] }: Extended, tool: string): ContentWays | undefined {
  return extensions.find(({ content }) => content?.tools.includes(tool))?.content
}

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

/** A capability of one server beyond its tools. The framework asks every extension for its part, without knowing any specific one. */
export interface Extension {
  /** The key of an account, for a vendor whose keys people enter. */
  readonly key?: ApiKey
  /** Options for every command, by their names in the library API. Each sets its variable. */
  readonly options?: Readonly<Record<string, DescribedOption & { readonly variable: string }>>
  /** The `call` option that lets some tools read or write a file on this machine. */
  readonly fileOption?: FileOption
  readonly commands?: Readonly<Record<string, AppCommand>>
  /** Ways to return a file's content, besides the embedded resource. */
  readonly content?: ContentWays
  /** The kind of each tool's calls, if only a few of them may be in flight. */
  readonly callKinds?: Readonly<Record<string, CallKind>>
  /** Tools whose calls may take so long that they continue as tasks, for clients that support tasks. */
  readonly longCalls?: readonly string[]
  /**
   * Tools whose work continues without a call. To cancel such work when no process is running the call, the call is made again and then
   * ended.
   */
  readonly backgroundCalls?: readonly string[]
  /** Facts that `status` adds. */
  readonly facts?: (settings: Settings) => Readonly<Record<string, unknown>>
  /** Findings that `doctor` adds. */
  readonly checks?: (settings: Settings) => Promise<readonly Check[]>
  /** True if an earlier run may have left work behind, so that a server connects at startup, not on the first call. */
  readonly hasPendingWork?: (settings: Settings) => boolean
}

/** Ways of returning files' content, chosen by a call or the operator. */
export interface ContentWays {
  /** The tools whose results have such content, without their prefix. */
  readonly tools: readonly string[]
  /** Fields that the operator's chosen way adds to those tools' results; undefined for an embedded resource. */
  readonly fields: (settings: Pick<Settings, 'environment'>) => JsonSchema | undefined
  readonly load: () => Promise<(content: FileContent, request: ContentRequest) => Promise<GivenContent>>
}

/** The circumstances in which a result's content is returned. */
export interface ContentRequest {
  readonly settings: Settings
  readonly data: JsonObject
  /** The way named by the call, as received; if undefined, the operator's choice. */
  readonly way: unknown
  /** Makes a temporary address for fetching the content; absent on stdio. */
  readonly link?: ((content: FileContent) => Promise<ContentLink>) | undefined
  /** True for a client on stdio, which shares this machine. */
  readonly isLocal: boolean
}

export interface ContentLink {
  readonly url: string
  readonly expiresAt: number
}

export interface GivenContent {
  /** Fields for the result. */
  readonly fields?: JsonObject
  /** Fields for programs only, omitted from the text for a model. */
  readonly programFields?: JsonObject
  readonly notice?: string | Message
  /** True if the content stays an embedded resource. */
  readonly isEmbedded: boolean
}

export interface ApiKey {
  readonly variable: string
  /** Asks the vendor whether a key is valid. Throws `Unauthenticated` if the vendor refuses it, or `Unavailable`. */
  readonly check?: (settings: Settings, key: Secret, signal: AbortSignal) => Promise<void>
}

export interface Extended {
  readonly extensions?: readonly Extension[]
}

/** One of `doctor`'s findings. Only a problem keeps the server from working. */
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
  /** Description for the help. */
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

/** Text that a command prints, on standard output if the exit code is 0, otherwise on standard error. */
export interface CommandOutput {
  readonly code: 0 | 1 | 2
  readonly text: string
}

/** A `call` option that takes the path of a file on this machine, or `-`. */
export interface FileOption extends DescribedOption {
  /** The tools that the option works for, without their prefix. */
  readonly tools: readonly string[]
  /** A usage of the option, and its effect. */
  readonly usage: readonly [usage: string, description: string]
  /** Text about the option for the help of such a tool. */
  readonly toolHelp: string
  /** Parameters that it replaces. */
  readonly replaces: readonly string[]
  /** Hint for a result whose content was not written to a file. */
  readonly contentHint?: string
  readonly load: () => Promise<(call: FileCall) => Promise<OpenFile>>
}

export interface FileCall {
  readonly settings: Settings
  readonly tool: ListedTool
  /** The arguments as written. */
  readonly args: unknown
  readonly file: string
  readonly json: boolean
  readonly input: Readable
  readonly output: Writable & { readonly isTTY?: boolean }
  readonly signal: AbortSignal
}

/** One call's file. It is checked before anything is read or written. */
export interface OpenFile {
  /** Settings to use instead of the call's. */
  readonly settings?: Settings
  /** Arguments that replace the written ones, and the arguments by which calls with the same idempotency key are compared. */
  readonly completed?: { readonly args: JsonObject; readonly given: JsonObject }
  /** Makes the call and writes its content. */
  readonly call?: (args: unknown, server: CalledServer) => Promise<Answer>
  /** True if a result's content replaces the result on standard output. */
  readonly isPrinted?: boolean
  readonly close?: () => Promise<void>
}

/** A server's tools, for a call that needs several. */
export interface CalledServer {
  readonly call: (tool: ListedTool, args: unknown) => Promise<Answer>
  /** Undefined for a hidden tool. */
  readonly find: (name: string) => ListedTool | undefined
  readonly progress?: ((done: number, total?: number, message?: string) => void) | undefined
}

/** The server's API key; undefined if people sign in to it instead. */
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

/** Finds an extension's unusable option before a call does, and explains why; undefined if all are usable. */
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

/** The ways to return the content of a tool's results; undefined if there is only the embedded resource. */
export function contentWaysOf({ extensions = [] }: Extended, tool: string): ContentWays | undefined {
  return extensions.find(({ content }) => content?.tools.includes(tool))?.content
}

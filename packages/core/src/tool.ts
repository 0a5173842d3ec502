import * as z from 'zod'
import { invalidArguments } from './arguments.ts'
import type { Message } from './message.ts'
import { ToolResult, type UserContent } from './tool-result.ts'
import { Forbidden } from './errors.ts'
import { sentence } from './message.ts'

const writesForbidden = sentence`This server was started with ${{ option: '--read-only' }}: nothing may be written through it.`

/** What a tool does to the vendor's data. One word, from which the protocol's hints, `--read-only` and the docs follow. */
export type Effect = 'read' | 'create' | 'update' | 'delete'

/** What a running call may use besides its arguments and the server's context. */
export interface CallContext {
  /** Aborted when the caller gives up; hand it to everything that waits. */
  readonly signal: AbortSignal
  /** Tells a caller who asked for it how far the work is; `total` is absent while it is unknown. */
  readonly progress: (done: number, total?: number, message?: string) => void
  /** Whether only reading is allowed; set by the operator. */
  readonly readOnly: boolean
}

/** A tool as its author writes it. */
export interface ToolSpec<Context, Scope extends string, In extends z.ZodObject, Out extends z.ZodObject> {
  /** Canonical name, `Prefix.Name` without the prefix: `WhoAmI`. */
  readonly name: string
  readonly title: string
  /** What a model reads to decide on the call. Mentions of other tools are spelled as the server advertises them. */
  readonly description: string | Message
  readonly effect: Effect
  /** Overrides what `effect` says about destruction. */
  readonly destructive?: boolean
  /** For a tool that writes only with some arguments: whether these do. Such a tool stays listed under `--read-only`. */
  readonly writes?: (args: z.output<In>) => boolean
  readonly scopes: readonly Scope[]
  readonly input: In
  readonly output: Out
  /** Returns data, or data with something for the person beside it: `withContent`, `withVisit`. */
  readonly run: (args: z.output<In>, context: Context, call: CallContext) => Promise<z.input<Out> | ToolResult<z.input<Out>>>
}

/** A tool with its argument types sealed inside: what a server holds a list of. */
export interface Tool<Context> {
  readonly name: string
  readonly title: string
  readonly description: string | Message
  readonly effect: Effect
  readonly destructive: boolean
  /** Whether some calls of it only read, so that it has a use under `--read-only`. */
  readonly canRead: boolean
  readonly scopes: readonly string[]
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  /**
   * Checks the arguments and runs. Throws `InvalidInput` for arguments that do not fit and `Forbidden` for a write where only
   * reading is allowed.
   */
  readonly call: (args: unknown, context: Context, call: CallContext) => Promise<CallResult>
}

/** What a call gave back, and whether it was one that writes. */
export interface CallResult extends UserContent {
  readonly data: Readonly<Record<string, unknown>>
  readonly wrote: boolean
}

/** Gives the `defineTool` of one server: its context and its scopes are fixed here once. */
export function toolkit<Context, Scope extends string>() {
  return function defineTool<In extends z.ZodObject, Out extends z.ZodObject>(spec: ToolSpec<Context, Scope, In, Out>): Tool<Context> {
    const { run, destructive, writes = () => spec.effect !== 'read', ...described } = spec
    return {
      ...described,
      destructive: destructive ?? spec.effect === 'delete',
      canRead: spec.effect === 'read' || spec.writes !== undefined,
      async call(args, context, call) {
        const given = withoutNulls(args)
        const parsed = z.safeParse(spec.input, given, { reportInput: true })
        if (!parsed.success) throw invalidArguments(spec.input, given, parsed.error)
        const wrote = writes(parsed.data)
        if (wrote && call.readOnly) throw new Forbidden(writesForbidden)
        const result = await run(parsed.data, context, call)
        return result instanceof ToolResult ? { data: result.data, ...result.userContent, wrote } : { data: result, wrote }
      },
    }
  }
}

/** Strict hosts send null for every optional parameter, so null means absent. */
function withoutNulls(args: unknown): unknown {
  if (args === undefined || args === null) return {}
  if (typeof args !== 'object' || Array.isArray(args)) return args
  return Object.fromEntries(Object.entries(args).filter(([, value]) => value !== null))
}

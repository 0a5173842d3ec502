import * as z from 'zod'
import { absenceNotice, blankText, defaultsNotice, givenArguments, optionalNames, withAbsence } from '../corrections/absent.ts'
import { type Message, sentence } from '../errors/message.ts'
import { placeholderNotice, withPlaceholder } from '../corrections/plausibility.ts'
import { refuseSecrets } from './secrets.ts'
import { ToolResult, type UserContent } from './tool-result.ts'
import { Forbidden, InvalidInput, ToolError, withDetails } from '../errors/errors.ts'
import type { Operation } from './call/operation-types.ts'
import type { CallScope } from './call/call-deadline.ts'

const writesForbidden = sentence`This server was started with ${{ option: '--read-only' }}: it cannot write anything.`

const unknownOutcome = 'It is not known whether this took effect.'
const repeat =
  'Make the identical call again within ten minutes: any process of this server can continue this call, and nothing is created twice.'
const keyedRepeat =
  'Make the identical call again within a day, with the same idempotency key: it continues this one, and nothing is created twice.'

/** A tool's effect on the vendor's data. The protocol's hints, `--read-only` and the docs follow from it. */
export type Effect = 'read' | 'create' | 'update' | 'delete'

/** Context of a running call, besides its arguments and the server's context. */
export interface CallContext {
  /** The call's lifetime; pass it to everything that sends requests. */
  readonly scope: CallScope
  /** The scope's signal; pass it to everything else that waits. */
  readonly signal: AbortSignal
  /** Reports progress to a caller who asked for it; `total` is absent while unknown. */
  readonly progress: (done: number, total?: number, message?: string) => void
  /** Milliseconds that the caller's host will wait, from the call's start; unlimited if absent. */
  readonly patienceMs?: number | undefined
  /** True if only reads are allowed. */
  readonly readOnly: boolean
  /** The reason why only reads are allowed; if absent, the operator passed `--read-only`. */
  readonly readOnlyReason?: Message | undefined
  /** The server's time zone, used for relative dates until the person's is known; if absent, the process's. */
  readonly timeZone?: string | undefined
  /** Identifies the caller, if the server acts for many people. */
  readonly owner?: string | undefined
  /** Begin the operation before the first request that creates something. */
  readonly operation: Operation
  /**
   * Adds a sentence to the result's `notices`, about a value that was ignored, reinterpreted or not shown by the vendor. Each appears once.
   */
  readonly notice: (text: string | Message) => void
}

/** A tool as its author writes it. */
export interface ToolSpec<Context, Scope extends string, In extends z.ZodObject, Out extends z.ZodObject> {
  /** Canonical name, `Prefix.Name` without the prefix: `WhoAmI`. */
  readonly name: string
  /** Names that earlier versions had. */
  readonly aliases?: readonly string[]
  readonly title: string
  /** Tells a model whether to make the call. Mentions of other tools are spelled as the server advertises them. */
  readonly description: string | Message
  readonly effect: Effect
  /** Overrides the hint that follows from `effect`. */
  readonly destructive?: boolean
  /** True if these arguments cause a write, for a tool that only sometimes writes. Such a tool stays listed under `--read-only`. */
  readonly writes?: (args: z.output<In>) => boolean
  readonly scopes: readonly Scope[]
  /** Sentence on how to read what was cut from a long result, or how to ask for less. */
  readonly narrowing?: string | Message
  readonly input: In
  readonly output: Out
  /**
   * Arguments of a typical call, which works against the emulator: tests make the call, and help and the reference page show it.
   */
  readonly example: z.input<In>
  /** Returns data, alone or with user content: `withContent`, `withUrlElicitation`. */
  readonly run: (args: z.output<In>, context: Context, call: CallContext) => Promise<z.input<Out> | ToolResult<z.input<Out>>>
}

/** A tool without its argument types, so that a server can list tools of different types. */
export interface Tool<Context> extends Pick<
  ToolSpec<Context, string, z.ZodObject, z.ZodObject>,
  'name' | 'aliases' | 'title' | 'description' | 'effect' | 'scopes'
> {
  readonly destructive: boolean
  /** True if some of its calls only read, so it is listed under `--read-only`. */
  readonly canRead: boolean
  readonly input: z.ZodObject
  readonly output: z.ZodObject
  readonly example: Readonly<Record<string, unknown>>
  /** The tool's position in order of definition, which a module's exports do not keep: they are listed alphabetically. */
  readonly position: number
  /** True if a call with these arguments writes, or if invalid arguments leave that unknown. */
  readonly isWrite: (args: unknown) => boolean
  /**
   * Checks the arguments and runs the tool. Throws `InvalidInput` for invalid arguments, and `Forbidden` for a write if only reads are
   * allowed.
   */
  readonly execute: (args: unknown, context: Context, call: Omit<CallContext, 'notice'>) => Promise<CallResult>
}

/** The result of a call, and whether the call was a write. */
export interface CallResult extends UserContent {
  readonly data: Readonly<Record<string, unknown>>
  readonly isWrite: boolean
  /** The call's notices, in order. */
  readonly notices?: readonly (string | Message)[]
  /** Sentence on how to read what was cut from a long result, if the tool has one. */
  readonly narrowing?: string | Message
}

/**
 * One server's `defineTool`; the type arguments are its context and scopes. `timeZoneOf` returns the time zone of the context's person, or
 * undefined while it is unknown.
 */
export function toolkit<Context, Scope extends string>(timeZoneOf: (context: Context) => string | undefined = () => undefined) {
  let count = 0
  return function defineTool<In extends z.ZodObject, Out extends z.ZodObject>(spec: ToolSpec<Context, Scope, In, Out>): Tool<Context> {
    const { run, destructive, writes = () => spec.effect !== 'read', narrowing, ...rest } = spec
    count += 1
    return {
      ...rest,
      position: count,
      destructive: destructive ?? spec.effect === 'delete',
      canRead: spec.effect === 'read' || spec.writes !== undefined,
      isWrite(args) {
        const parsed = z.safeParse(spec.input, givenArguments(spec.input, args).args)
        return parsed.success ? writes(parsed.data) : spec.effect !== 'read'
      },
      async execute(args, context, call) {
        refuseSecrets(args)
        const given = givenArguments(spec.input, args)
        const parsed = z.safeParse(spec.input, given.args)
        const read = parsed.success
          ? { ...asWritten, given, data: parsed.data }
          : await understand(spec, args, { ...call, timeZone: timeZoneOf(context) ?? call.timeZone })
        const blank = spec.effect === 'update' ? blankText(spec.input, read.given) : undefined
        if (blank) throw withWrittenNames(blank, read.writtenNames)
        const isWrite = writes(read.data)
        if (isWrite && call.readOnly) throw new Forbidden(call.readOnlyReason ?? writesForbidden)
        // A tool that creates something begins its operation itself, because the vendor may have to generate the id.
        if (isWrite && spec.effect !== 'create') await call.operation.reserveKey()
        const absence = absenceNotice(spec.input, read.given, spec.effect === 'update')
        const placeholder = isWrite ? placeholderNotice(read.data) : undefined
        const defaults = isWrite ? defaultsNotice(spec.input, read.given) : undefined
        const notices: (string | Message)[] = [...read.notices, absence, defaults, placeholder].filter((notice) => notice !== undefined)
        const notice = (text: string | Message) => void notices.push(text)
        const result = await run(read.data, context, { ...call, notice }).catch((error: unknown) => {
          const isUpdate = spec.effect === 'update'
          const known = isUpdate ? withAbsence(error, spec.input, read.given) : error
          const explained = withPlaceholder(known, read.data, optionalNames(spec.input), isUpdate)
          const restated = withWrittenNames(explained, read.writtenNames)
          throw isWrite ? withUnknownOutcome(restated, call.operation) : restated
        })
        const { data, userContent } = result instanceof ToolResult ? result : new ToolResult(result, {})
        return { data, ...userContent, isWrite, ...(notices.length > 0 && { notices }), ...(narrowing !== undefined && { narrowing }) }
      },
    }
  }
}

/** The modules' exported tools, in the modules' order and, within each, in order of definition. */
export function toolsOf<Context>(...modules: readonly Readonly<Record<string, Tool<Context>>>[]): Tool<Context>[] {
  return modules.flatMap((module) => Object.values(module).toSorted((one, other) => one.position - other.position))
}

const asWritten = { notices: [], writtenNames: new Map<string, string>() } as const

/** Interprets arguments that are invalid as written. The code for that is loaded on first use. */
async function understand<In extends z.ZodObject>(
  { input, effect }: { readonly input: In; readonly effect: Effect },
  args: unknown,
  { scope, timeZone }: Pick<CallContext, 'scope' | 'timeZone'>,
) {
  const [{ understandArguments }, { todayIn }] = await Promise.all([
    import('../corrections/read-arguments.ts'),
    import('../corrections/dates/today.ts'),
  ])
  const today = todayIn(timeZone, scope.clock.now())
  return understandArguments(input, args, today.date, { effect, timeZone: today.timeZone })
}

/** The refusal, with its corrections, that these arguments would get; undefined if they are accepted. Runs nothing. */
export async function refusalOf(
  spec: { readonly input: z.ZodObject; readonly effect: Effect },
  args: unknown,
  call: Pick<CallContext, 'scope' | 'timeZone'>,
): Promise<InvalidInput | undefined> {
  if (z.safeParse(spec.input, givenArguments(spec.input, args).args).success) return undefined
  try {
    await understand(spec, args, call)
    return undefined
  } catch (error) {
    if (error instanceof InvalidInput) return error
    throw error
  }
}

/** The error with the parameter names that the caller wrote, so that its `change` and choices fit the call. */
function withWrittenNames(error: unknown, names: ReadonlyMap<string, string>): unknown {
  if (names.size === 0 || !(error instanceof ToolError)) return error
  const { next, choices } = error.details
  const replaced = [...names]
    .filter(([name]) => next?.change && Object.hasOwn(next.change, name))
    .map(([, written]): [string, null] => [written, null])
  return withDetails(error, error.text, {
    ...error.details,
    ...(next?.change && { next: { ...next, change: { ...Object.fromEntries(replaced), ...next.change } } }),
    ...(choices && { choices: choices.map((choice) => ({ ...choice, parameter: names.get(choice.parameter) ?? choice.parameter })) }),
  })
}

/** A write's error, with advice if the write may have taken effect; no advice to repeat it if a refusal followed a lost response. */
function withUnknownOutcome(error: unknown, { isKeyed }: Operation): unknown {
  if (!(error instanceof ToolError) || error.details.sent !== 'maybe') return error
  const text = error.text.and(unknownOutcome)
  return withDetails(error, error.retryable ? text.and(isKeyed ? keyedRepeat : repeat) : text, error.details)
}

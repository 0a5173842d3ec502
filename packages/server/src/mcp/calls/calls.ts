import { type Caller, type Clock, once, recordOwner } from '@mcp-toolkits/core/base'
import { Internal, Message, type Spelling, storageFailure, ToolError, Unavailable, withDetails } from '@mcp-toolkits/core/errors'
import { type CallContext, checkArgumentLimits, type IdempotencyStore, type Tool, withCallScope, withTool } from '@mcp-toolkits/core/tool'
import type { ConnectLinks } from '../connect-links.ts'
import { audienceOf } from '../answers/audience.ts'
import { toAnswer, toFailure, type Answer, type Failure } from '../answers/answer.ts'
import { withInvocation, isTemporary } from '../../cli/invocation.ts'
import type { Connection, ListedTool, ServerDefinition, Settings } from '../definition.ts'
import type { ExitFilter } from '../answers/exit-filter.ts'
import { errorFields, type Log } from '../log.ts'
import type { Operations } from './operations.ts'
import { RunningCalls, type Waiter } from './running-calls.ts'

export interface CallOptions extends Waiter {
  /** How long the call has waited before, in milliseconds; its first deadline comes that much earlier. 0 when absent. */
  readonly waitedMs?: number
  /** How long the caller's host waits for the answer, the wait before included, in milliseconds; without limit when absent. */
  readonly patienceMs?: number | undefined
  /** Who makes the call, where the server acts for many people. */
  readonly caller?: Caller | undefined
  /** The caller's idempotency key, as it came. Ignored for a tool that reads. */
  readonly key?: unknown
  /** What the caller gave, where a person's choice has changed the arguments since: a key goes with that. */
  readonly givenArguments?: unknown
}

/** What a call works with: a connection, which is opened when it is needed, and the settings that it is opened with. */
export interface CallSession<Context> {
  readonly settings: Settings
  readonly connection: () => Promise<Connection<Context>>
  /** The account in records of operations; what the connection says when absent. */
  readonly recordedAs?: string | undefined
}

/** Where calls get their connections. */
export interface CallSessions<Context> {
  /** Runs the work of a call. Its connection stays open meanwhile. */
  readonly run: <Result>(caller: Caller | undefined, work: (session: CallSession<Context>) => Promise<Result>) => Promise<Result>
}

export interface CallRunnerOptions<Context> {
  readonly settings: Settings
  readonly sessions: CallSessions<Context>
  /** Opens the records of operations. */
  readonly openStore?: (() => Promise<IdempotencyStore>) | undefined
  /** Makes the pages at which people do what their calls need; absent where all calls use one account. */
  readonly links?: Pick<ConnectLinks, 'create'> | undefined
  readonly isEmbedded: boolean
  readonly spelling: Spelling
  readonly filter: ExitFilter
  readonly log: Log
  readonly clock: Clock
}

/** Runs the calls of a server. */
export interface CallRunner {
  /** Never rejects, except with the reason of an aborted signal. */
  readonly call: (tool: ListedTool, args: unknown, options: CallOptions) => Promise<Answer>
  readonly close: () => Promise<void>
}

const tokenForbidsWrites = Message.of(
  'The access token of this request permits only reads, so nothing was written. A token that may write is needed.',
)

/** The typed error for a data directory that cannot be used; any other failure as it is. */
export const typedFailure = (error: unknown, { dataDirectory }: Pick<Settings, 'dataDirectory'>): unknown =>
  storageFailure(error, dataDirectory) ?? error

export function callRunner<Context>(definition: ServerDefinition<Context>, options: CallRunnerOptions<Context>): CallRunner {
  const { settings, sessions, isEmbedded, filter, log, clock } = options
  const spellingFor = (caller: Caller | undefined) => ({ audience: audienceOf(settings, caller), ...options.spelling })
  const findTool = lazyTools(definition)
  const operations = lazyOperations(definition.name, options)
  const running = new RunningCalls(clock)

  const run = async (listed: ListedTool, args: unknown, call: CallOptions) => {
    const { caller, delivery } = call
    const opened = await operations.load()
    const mayWrite = caller === undefined || caller.permissions.includes('write')
    const readOnly = settings.readOnly || !mayWrite
    const key = listed.effect === 'read' || readOnly ? undefined : call.key
    const timeoutError = () => unfinished(listed, key !== undefined)
    const scopeOptions = { signal: call.signal, clock, waitedMs: call.waitedMs, timeoutError }
    const identified = { tool: listed.name, key, args: key === undefined ? args : (call.givenArguments ?? args), delivery }
    return sessions.run(caller, async (session) => {
      const account = async () => accountOf(session, caller)
      return opened.run({ ...identified, account }, async (operation) =>
        withCallScope(scopeOptions, async (scope) => {
          checkArgumentLimits(listed.inputSchema, args)
          const { tool, context } = await findTool(listed, session)
          await operation.checkKey(scope)
          const progress: CallContext['progress'] = (...done) => {
            scope.extend()
            call.progress?.(...done)
          }
          const readOnlyReason = settings.readOnly ? undefined : tokenForbidsWrites
          const owner = caller?.owner
          const timeZone = settings.environment['TZ']
          const patienceMs = call.patienceMs && Math.max(0, call.patienceMs - (call.waitedMs ?? 0))
          const restrictions = { readOnly, readOnlyReason, patienceMs }
          const callContext = { scope, signal: scope.signal, timeZone, ...restrictions, progress, owner, operation }
          const result = await withTool(listed.name, () => tool.call(args, context, callContext))
          const written = { answer: toAnswer(result, isEmbedded, filter, spellingFor(caller)), isWrite: result.isWrite }
          await opened.record(operation, written)
          return written
        }),
      )
    })
  }

  return {
    async call(listed, args, call) {
      const started = clock.now()
      const person = call.caller && { person: call.caller.owner }
      const logged = (outcome: string) => ({ tool: listed.name, outcome, ms: clock.now() - started, ...person })
      try {
        const identified = { tool: listed, args, caller: call.caller, isKeyed: call.key !== undefined && listed.effect !== 'read' }
        const answer = await running.run(identified, call, (waiter) => run(listed, args, { ...call, ...waiter }))
        log.info('call', logged(answer.ok && answer.isReplay ? 'replayed' : 'ok'))
        return answer
      } catch (error) {
        if (call.signal.aborted) {
          log.info('call', logged('cancelled'))
          throw call.signal.reason
        }
        const failure = typedFailure(error, settings)
        const spelling = spellingFor(call.caller)
        const answer = await failureAnswer(failure, { definition, options: { ...options, spelling }, caller: call.caller })
        log.info('call', logged(answer.error.code))
        if (!(failure instanceof ToolError)) log.error('internal', { tool: listed.name, ...errorFields(error) })
        else if (failure instanceof Unavailable && failure.text.isSplit)
          log.error('storage', { tool: listed.name, problem: failure.message })
        else if (spelling.audience === 'others' && (failure.text.isSplit || failure.text.isAboutSettings))
          log.error('settings', { tool: listed.name, problem: failure.message })
        return answer
      }
    },
    close: operations.close,
  }
}

interface FailedCall<Context> {
  readonly definition: ServerDefinition<Context>
  readonly options: CallRunnerOptions<Context>
  readonly caller: Caller | undefined
}

/** The answer for an error, with the page at which its person can solve it. */
async function failureAnswer<Context>(error: unknown, { definition, options, caller }: FailedCall<Context>): Promise<Failure> {
  const { links, spelling } = options
  const filter = withTypedCommand(definition, options)
  const step = error instanceof ToolError ? error.details.connect : undefined
  if (!(error instanceof ToolError) || !step || !links || !caller) return toFailure(error, spelling, filter)
  if (caller.isService) {
    const { serviceProblem } = await import('../elicitation/connect-prompt.ts')
    return toFailure(serviceProblem(definition, caller, step), spelling, filter)
  }
  try {
    const { id, url } = await links.create({ ...step, caller })
    const known = withDetails(error, error.text, { ...error.details, next: { ...error.details.next, url } })
    const { connectMessage } = await import('../elicitation/connect-prompt.ts')
    return { ...toFailure(known, spelling, filter), connectLink: { id, url, message: connectMessage(definition, step) } }
  } catch (failure) {
    return toFailure(typedFailure(failure, options.settings), spelling, filter)
  }
}

/** Commands in errors are those that the person can type, also where npx has started the server. */
function withTypedCommand(
  definition: Pick<ServerDefinition<never>, 'name'>,
  { filter, settings: { environment } }: { readonly filter: ExitFilter; readonly settings: Pick<Settings, 'environment'> },
): ExitFilter {
  const program = process.argv[1] ?? ''
  if (!isTemporary(program)) return filter
  const spell = withInvocation(definition, { environment, program })
  return (text) => filter(spell(text))
}

/** Whose records of operations a call uses: those of one account, and of one person where there are several. */
async function accountOf({ connection, recordedAs }: CallSession<unknown>, caller: Caller | undefined): Promise<string> {
  const { accountId = '' } = recordedAs === undefined ? await connection() : { accountId: recordedAs }
  const account = typeof accountId === 'string' ? accountId : await accountId()
  return caller ? recordOwner(caller.owner, account) : account
}

/** Loads what operations need with the first call. */
function lazyOperations<Context>(
  server: string,
  { openStore, settings, clock, log, filter }: Pick<CallRunnerOptions<Context>, 'openStore' | 'settings' | 'clock' | 'log' | 'filter'>,
) {
  let open: Operations | undefined
  const load = once(async () => {
    const { callStore, Operations } = await import('./operations.ts')
    return (open = new Operations({ openStore: openStore ?? callStore(server, { settings, clock }), settings, clock, log, filter }))
  })
  return { load, close: async () => open?.close() }
}

/** Finds a tool, and what it works with, for an account that permits it. The tools are loaded with the first call. */
function lazyTools<Context>(definition: ServerDefinition<Context>) {
  const tools = once(async () => new Map((await definition.loadTools()).map((tool) => [tool.name, tool])))
  const { account } = definition
  return async (listed: ListedTool, { connection, settings }: CallSession<Context>) => {
    const [{ context, scopes }, loaded] = await Promise.all([connection().catch(rethrowUnsent(listed)), tools()])
    const tool: Tool<Context> | undefined = loaded.get(listed.name)
    if (!tool) throw new Internal(`${listed.name} is listed but was not loaded.`)
    const callContext = await context
    if (scopes && account) {
      const { checkToolScopes } = await import('../../account/login/scopes.ts')
      checkToolScopes(listed, `${definition.prefix}.${listed.name}`, { account, settings, granted: await scopes() })
    }
    return { tool, context: callContext }
  }
}

/** A call that may write says that it did not when its data cannot be opened. */
function rethrowUnsent({ effect }: ListedTool): (error: unknown) => never {
  return (error) => {
    if (effect === 'read' || !(error instanceof Unavailable)) throw error
    throw withDetails(error, error.text.and('The call did nothing: it neither stored nor sent anything.'), error.details)
  }
}

/** What is true of every call that ran out of time. */
function unfinished({ effect }: ListedTool, isKeyed: boolean): Unavailable {
  const outOfTime = 'The call took too long and was ended.'
  if (effect === 'read') return new Unavailable(`${outOfTime} Make it again.`)
  const repeat = isKeyed ? 'within a day, with the same idempotency key' : 'within ten minutes'
  return new Unavailable(`${outOfTime} It may have taken effect. Make the identical call again ${repeat}: nothing is created twice.`)
}

import { randomUUID } from 'node:crypto'
import { type Caller, once, raceAbort, recordOwner } from '@mcp-toolkits/core/base'
import { Internal, Message, redact, type Spelling, storageFailure, ToolError, Unavailable, withDetails } from '@mcp-toolkits/core/errors'
import {
  type CallOperation,
  type CallScope,
  checkArgumentLimits,
  currentTool,
  type IdempotencyStore,
  startCallScope,
  type Tool,
} from '@mcp-toolkits/core/tool'
import type { ConnectLinks } from './connect-links.ts'
import { audienceOf } from './answers/audience.ts'
import { type Answer, type Failure, type Success, toAnswer, toFailure } from './answers/answer.ts'
import type { ContentRequest } from './extension.ts'
import type { Operations, OperationsOptions } from './calls/operations.ts'
import { RunningCalls, type Waiter, withJoinedNotice } from './calls/running-calls.ts'
import type { Connection, ListedTool, ServerDefinition, Settings } from './definition.ts'
import { errorFields } from './log.ts'

export interface CallOptions extends Waiter {
  /** Time, in milliseconds, that the call has already waited, by which its first deadline is earlier. 0 if absent. */
  readonly waitedMs?: number
  /** Time, in milliseconds, that the caller's host waits for the answer, including `waitedMs`; unlimited if absent. */
  readonly patienceMs?: number | undefined
  /** The person making the call, on a multi-user server. */
  readonly caller?: Caller | undefined
  /** The way a file's content is returned; absent if the caller reads it from the answer. */
  readonly content?: Pick<ContentRequest, 'way' | 'link' | 'isLocal'> | undefined
  /** The caller's idempotency key, as received. Ignored for a read-only tool. */
  readonly key?: unknown
  /** True if an earlier run of the call may have begun without the key. */
  readonly isLateKey?: boolean | undefined
  /** Called with the call's operation, for a call that outlives its request. */
  readonly onOperation?: ((operation: CallOperation) => void) | undefined
  /** The call, as shown in the emulator's workspace. */
  readonly shown?: ShownCall
  /** The arguments as the caller gave them, if a person's choice has since changed them: the key belongs to the original arguments. */
  readonly givenArguments?: unknown
}

/** A call that people can watch. */
interface ShownCall {
  readonly id: string
  /** Set when the call has its connection. */
  record?: Connection<unknown>['recordCall']
}

/** A call's account: a connection, opened on demand, and the settings to open it with. */
export interface CallAccount<Context> {
  readonly settings: Settings
  readonly connection: () => Promise<Connection<Context>>
  /** The account stored in operation records; the connection's by default. */
  readonly recordedAs?: string | undefined
  /** Marks the call as ended, so that the connection can be closed. */
  readonly release?: (() => void) | undefined
}

export interface CallsOptions<Context> extends Pick<OperationsOptions, 'clock' | 'log' | 'filter'> {
  readonly settings: Settings
  /** Finds a caller's account. The connection stays open until it is released. */
  readonly connectionFor: (caller: Caller | undefined) => Promise<CallAccount<Context>>
  /** Opens the operation records; if absent, the data directory's are used. */
  readonly openStore?: (() => Promise<IdempotencyStore>) | undefined
  /** Creates the pages where people unblock their calls; absent if all calls use one account. */
  readonly links?: Pick<ConnectLinks, 'create'> | undefined
  readonly isEmbedded: boolean
  readonly spelling: Spelling
}

const tokenForbidsWrites = Message.of(
  "This request's access token permits only reads, so nothing was written. Use a token that permits writes.",
)

/** The typed error for an unusable data directory; returns any other failure unchanged. */
export const typedFailure = (error: unknown, { dataDirectory }: Pick<Settings, 'dataDirectory'>): unknown =>
  storageFailure(error, dataDirectory) ?? error

/** Answers a server's calls. */
export class Calls<Context> {
  readonly #definition: ServerDefinition<Context>
  readonly #options: CallsOptions<Context>
  readonly #running: RunningCalls
  readonly #tools: () => Promise<ReadonlyMap<string, Tool<Context>>>
  readonly #loadOperations: () => Promise<Operations>
  #operations: Operations | undefined

  constructor(definition: ServerDefinition<Context>, options: CallsOptions<Context>) {
    const { settings, openStore, clock, log, filter } = options
    this.#definition = definition
    this.#options = options
    this.#running = new RunningCalls(clock)
    this.#tools = once(async () => new Map((await definition.load.tools()).map((tool) => [tool.name, tool])))
    this.#loadOperations = once(async () => {
      const { callStore, Operations } = await import('./calls/operations.ts')
      const open = openStore ?? callStore(definition.name, { settings, clock })
      return (this.#operations = new Operations({ openStore: open, settings, clock, log, filter }))
    })
  }

  async close(): Promise<void> {
    await this.#operations?.close()
  }

  /** Returns the owner of a caller's records. */
  async ownerOf(caller: Caller | undefined): Promise<string> {
    const account = await this.#options.connectionFor(caller)
    try {
      return await accountOf(account, caller)
    } finally {
      account.release?.()
    }
  }

  /** Answers a call and logs its outcome. Never rejects, except with the reason of an aborted signal. */
  async answer(listed: ListedTool, args: unknown, call: CallOptions): Promise<Answer> {
    const { settings, clock, log } = this.#options
    const started = clock.now()
    const person = call.caller && { person: call.caller.owner }
    const logged = (outcome: string) => ({ tool: listed.name, outcome, ms: clock.now() - started, ...person })
    const spelling = this.#spellingFor(call.caller)
    const shown: ShownCall = { id: randomUUID() }
    const show = (outcome: string, answer: unknown) => {
      const texts = () => ({ args: withoutSecrets(args), answer: withoutSecrets(answer) })
      shown.record?.({ id: shown.id, tool: listed.name, outcome, ms: clock.now() - started, texts })
    }
    try {
      const answer = await this.#giveContent(listed, await this.#admit(listed, args, { ...call, shown }), call)
      show(answer.ok && answer.isReplay ? 'replayed' : 'ok', answer.ok && answer.data)
      log.info('call', logged(answer.ok && answer.isReplay ? 'replayed' : 'ok'))
      return answer
    } catch (error) {
      if (call.signal.aborted) {
        show('cancelled', null)
        log.info('call', logged('cancelled'))
        throw call.signal.reason
      }
      const failure = await this.#withValidAdvice(typedFailure(error, settings))
      const answer = await failureAnswer(failure, {
        definition: this.#definition,
        options: { ...this.#options, spelling },
        caller: call.caller,
      })
      show(answer.error.code, answer.error)
      log.info('call', logged(answer.error.code))
      if (!(failure instanceof ToolError)) log.error('internal', { tool: listed.name, ...errorFields(error) })
      else if (failure instanceof Unavailable && failure.text.isSplit) log.error('storage', { tool: listed.name, problem: failure.message })
      else if (spelling.audience === 'others' && (failure.text.isSplit || failure.text.isAboutSettings))
        log.error('settings', { tool: listed.name, problem: failure.message })
      return answer
    }
  }

  /** An error, without next-step arguments that the suggested tool would refuse. */
  async #withValidAdvice(error: unknown): Promise<unknown> {
    const { next } = error instanceof ToolError ? error.details : {}
    if (!(error instanceof ToolError) || !next?.arguments) return error
    const name = next.tool?.slice(this.#definition.prefix.length + 1)
    const tool = name === undefined ? undefined : (await this.#tools()).get(name)
    const { arguments: args, ...step } = next
    return !tool || tool.input.safeParse(args).success ? error : withDetails(error, error.text, { ...error.details, next: step })
  }

  /** Starts a call, or joins an identical one that is running. */
  async #admit(listed: ListedTool, args: unknown, call: CallOptions): Promise<Answer> {
    call.signal.throwIfAborted()
    const identified = { tool: listed, args, caller: call.caller, isKeyed: call.key !== undefined && listed.effect !== 'read' }
    const earlier = this.#running.find(identified)
    if (earlier) return withJoinedNotice(earlier.wait(call))
    const run = this.#running.add(identified)
    run.begin(this.#perform(listed, args, { ...call, ...run.waiter }))
    return run.wait(call)
  }

  /** Finds the account, opens the operation, and executes the tool within the call's deadline. */
  async #perform(listed: ListedTool, args: unknown, call: CallOptions): Promise<Answer> {
    const { settings, connectionFor, clock } = this.#options
    const { caller, delivery, signal, waitedMs, isLateKey } = call
    const operations = await this.#loadOperations()
    const account = await connectionFor(caller)
    try {
      const readOnly = settings.readOnly || (caller !== undefined && !caller.permissions.includes('write'))
      const key = listed.effect === 'read' || readOnly ? undefined : call.key
      const identity = key === undefined ? args : (call.givenArguments ?? args)
      const operation = operations.open({ tool: listed.name, account: () => accountOf(account, caller), args: identity, key, isLateKey })
      call.onOperation?.(operation)
      try {
        const timeoutError = () => unfinished(listed, key !== undefined)
        const scope = startCallScope({ signal, clock, waitedMs, timeoutError })
        const executing = this.#execute(listed, args, { ...call, account, operations, operation, scope, readOnly })
        // The scope is ended first, so no request is in flight when a repeated call takes over the record.
        const answer = await raceAbort(executing, scope.signal).finally(scope.end)
        operations.end(operation, delivery)
        return answer
      } catch (error) {
        return await operations.giveUp(operation, error)
      }
    } finally {
      account.release?.()
    }
  }

  /** Validates the arguments, connects, executes the tool, and stores its result for repeated calls with the key. */
  async #execute(listed: ListedTool, args: unknown, call: ExecutedCall<Context>): Promise<Success> {
    const { settings, isEmbedded, filter } = this.#options
    const { account, operations, operation, scope, readOnly, caller } = call
    scope.signal.throwIfAborted()
    checkArgumentLimits(listed.inputSchema, args)
    const { tool, context } = await this.#findTool(listed, account, call.shown)
    await operation.checkKey(scope)
    const result = await currentTool.run([listed.name, call.shown?.id].join(' ').trim(), tool.execute, args, context, {
      scope,
      signal: scope.signal,
      timeZone: settings.environment['TZ'],
      readOnly,
      readOnlyReason: settings.readOnly ? undefined : tokenForbidsWrites,
      patienceMs: call.patienceMs && Math.max(0, call.patienceMs - (call.waitedMs ?? 0)),
      progress(...done) {
        scope.extend()
        call.progress?.(...done)
      },
      owner: caller?.owner,
      operation,
    })
    const answer = toAnswer(result, isEmbedded, filter, this.#spellingFor(caller))
    await operations.record(operation, { answer, isWrite: result.isWrite })
    return answer
  }

  /** Finds a tool and its context, if the account's scopes permit the tool. */
  async #findTool(listed: ListedTool, { connection, settings }: CallAccount<Context>, shown: ShownCall | undefined) {
    const { account, prefix } = this.#definition
    const [{ context, scopes, recordCall }, loaded] = await Promise.all([connection().catch(rethrowUnsent(listed)), this.#tools()])
    if (shown) shown.record = recordCall
    const tool = loaded.get(listed.name)
    if (!tool) throw new Internal(`${listed.name} is listed but was not loaded.`)
    const callContext = await context
    if (scopes && account) {
      const { checkToolScopes } = await import('../account/login/scopes.ts')
      checkToolScopes(listed, `${prefix}.${listed.name}`, { account, settings, granted: await scopes() })
    }
    return { tool, context: callContext }
  }

  async #giveContent({ name: tool }: ListedTool, answer: Answer, { content, caller }: CallOptions): Promise<Answer> {
    if (!answer.ok || !answer.content || !content) return answer
    const { settings } = this.#options
    const { giveContent } = await import('./answers/give-content.ts')
    return giveContent(answer, { ...content, definition: this.#definition, settings, tool, spelling: this.#spellingFor(caller) })
  }

  #spellingFor(caller: Caller | undefined) {
    return { audience: audienceOf(this.#options.settings, caller), ...this.#options.spelling }
  }
}

interface ExecutedCall<Context> extends CallOptions {
  readonly account: CallAccount<Context>
  readonly operations: Operations
  readonly operation: CallOperation
  readonly scope: CallScope
  readonly readOnly: boolean
}

/** The owner of a call's operation records: the account and, on a multi-user server, the person. */
async function accountOf({ connection, recordedAs }: CallAccount<unknown>, caller: Caller | undefined): Promise<string> {
  const { accountId = '' } = recordedAs === undefined ? await connection() : { accountId: recordedAs }
  const account = typeof accountId === 'string' ? accountId : await accountId()
  return caller ? recordOwner(caller.owner, account) : account
}

/** Adds "the call did nothing" to a connection error, if the tool could have written. */
function rethrowUnsent({ effect }: ListedTool): (error: unknown) => never {
  return (error) => {
    if (effect === 'read' || !(error instanceof Unavailable)) throw error
    throw withDetails(error, error.text.and('The call did nothing: it neither stored nor sent anything.'), error.details)
  }
}

/** Error for a call that timed out. */
function unfinished({ effect }: ListedTool, isKeyed: boolean): Unavailable {
  const outOfTime = 'The call took too long and was stopped.'
  if (effect === 'read') return new Unavailable(`${outOfTime} Make it again.`)
  const repeat = isKeyed ? 'within a day, with the same idempotency key' : 'within ten minutes'
  return new Unavailable(`${outOfTime} It may have taken effect. Make the identical call again ${repeat}: nothing is created twice.`)
}

/** A value as JSON, without URL queries, because a signed URL's query grants access. */
const withoutSecrets = (value: unknown) => redact(JSON.stringify(value ?? null)).replaceAll(/(https?:\/\/[^\s"?#\\]+\?)[^\s"#\\]+/g, '$1*')

interface FailedCall<Context> {
  readonly definition: ServerDefinition<Context>
  readonly options: CallsOptions<Context>
  readonly caller: Caller | undefined
}

/** The answer for an error, with the page where the person can resolve it. */
async function failureAnswer<Context>(error: unknown, { definition, options, caller }: FailedCall<Context>): Promise<Failure> {
  const { links, filter, spelling } = options
  const step = error instanceof ToolError ? error.details.connect : undefined
  if (!(error instanceof ToolError) || !step || !links || !caller) return toFailure(error, spelling, filter)
  if (caller.isService) {
    const { serviceProblem } = await import('./elicitation/connect-prompt.ts')
    return toFailure(serviceProblem(definition, caller, step), spelling, filter)
  }
  try {
    const { id, url } = await links.create({ ...step, caller })
    const known = withDetails(error, error.text, { ...error.details, next: { ...error.details.next, url } })
    const { connectMessage } = await import('./elicitation/connect-prompt.ts')
    return { ...toFailure(known, spelling, filter), connectLink: { id, url, message: connectMessage(definition, step) } }
  } catch (failure) {
    return toFailure(typedFailure(failure, options.settings), spelling, filter)
  }
}

import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { canonicalJson, type Clock, member, parseJson, stringMember, systemClock } from '@mcp-toolkits/core/base'
import type { Choice, ErrorBody } from '@mcp-toolkits/core/errors'
import type { CallResult } from '@mcp-toolkits/core/tool'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type ElicitResult,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Answer, PersonLink } from '../answers/answer.ts'
import type { ListedTool } from '../definition.ts'
import { currentCaller } from '../calls/current-request.ts'
import type { Conversation } from './conversation.ts'
import {
  type Arguments,
  applySelections,
  canApply,
  type FormField,
  readSelections,
  type Selection,
  toFields,
  toForm,
  withoutConsent,
} from './form.ts'

/** A call that can be repeated with a person's selection. */
export interface RepeatableCall {
  readonly tool: ListedTool
  readonly args: Arguments
  /**
   * Waits for the person at a connect link, for as long as a call may wait; false if the person has not finished by then. Absent if answers
   * contain no links.
   */
  readonly waitForLink?: ((id: string) => Promise<boolean>) | undefined
}

/** Declarations that a client on an earlier revision made on connecting. */
export interface LegacyClient {
  readonly getClientCapabilities: () => unknown
  readonly getNegotiatedProtocolVersion: () => string | undefined
}

export interface ElicitationOptions {
  /**
   * Key that signs the state passing through the client; at least 32 bytes. Without it, only the process that asked can read the answer.
   */
  readonly key?: Uint8Array | undefined
  /**
   * Time for a person to answer, in milliseconds; ten minutes by default. A call that stays open meanwhile waits for at most 45 seconds.
   */
  readonly timeoutMs?: number | undefined
  /** The operator's limit, in seconds, which replaces both times; 0 never asks. */
  readonly questionSeconds?: number | undefined
  readonly clock?: Clock | undefined
}

/** Parts needed to send a client a request under an earlier revision. */
export interface AskingRequest {
  readonly signal: AbortSignal
  readonly send: (
    request: { readonly method: 'elicitation/create'; readonly params: ElicitRequestFormParams | ElicitRequestURLParams },
    options: { readonly timeout: number; readonly signal: AbortSignal },
  ) => Promise<ElicitResult>
  readonly notify: ServerContext['mcpReq']['notify']
}

/** Asks the person behind a client to choose if a reference is ambiguous, or to open a page if only they can continue. */
export interface Elicitation {
  /** Reads the state that came back through the client, for the SDK. Throws for an invalid state. */
  readonly verify: (state: string, context: ServerContext) => Promise<Pending>
  /** Asks with an unfinished result, which the client answers by repeating the call (revision 2026-07-28). */
  readonly viaInputRequired: (call: RepeatableCall, context: ServerContext) => Conversation
  /** Asks by sending the client a request while the call waits (earlier revisions, on a connection that can carry a request). */
  readonly viaServerRequest: (call: RepeatableCall, context: { readonly mcpReq: AskingRequest }, client: LegacyClient) => Conversation
  /** Asks through a task, which keeps its question's state. */
  readonly inTask: (call: RepeatableCall, task: AskingTask) => Conversation
  /** Returns a question's state, for a task to keep instead of the client. */
  readonly stateOf: (asked: InputRequiredResult, context: ServerContext) => Promise<string | undefined>
  /** Time, in milliseconds, that a person has to answer. */
  readonly timeoutMs: number
}

/** The parts of a task needed to ask the person behind it. */
export interface AskingTask {
  /** The arguments, with what the person has chosen; if absent, the call's. */
  readonly args?: Arguments | undefined
  /** The answered question; absent if there is none. */
  readonly state?: string | undefined
  readonly responses?: Readonly<Record<string, unknown>> | undefined
  /** Time of the answer, in milliseconds since 1970. */
  readonly answeredAt: number
  readonly modes: AskingModes
}

/** Ways in which a client can ask the person. */
export interface AskingModes {
  readonly forms: boolean
  readonly urls: boolean
}

/** A pending question to the person behind a call; it passes through the client, signed but not secret. */
type Pending = PendingQuestion | PendingVisit | PendingConnect

interface PendingRound {
  /** Digest of the call's tool and arguments. */
  readonly call: string
  readonly round: number
  /** Selections from earlier rounds. */
  readonly chosen: readonly Selection[]
}

/** A question waiting for its answer. */
interface PendingQuestion extends PendingRound {
  readonly fields: readonly FormField[]
  /** Error for the caller if the person selects nothing. */
  readonly refusal: ErrorBody
  /** Time, in milliseconds since 1970, after which an answer is too late. */
  readonly until: number
}

/** A page for the person to open, and the call's result. */
interface PendingVisit {
  readonly call: string
  readonly data: CallResult['data']
}

/** A page where the person makes the call possible. */
interface PendingConnect extends PendingRound {
  /** The id of the connect link. */
  readonly link: string
  /** Error for the caller while the person has not finished. */
  readonly error: ErrorBody
}

/** Maximum number of questions that one call may lead to. */
const maxRounds = 3
const defaultTimeoutMs = 600_000
/** Time, in milliseconds, that one call waits for the person: hosts give a call a minute, and often give up silently. */
const callPatienceMs = 45_000
/** Time, in seconds, during which a late answer still gets suggestions instead of a protocol error. */
const lateSeconds = 86_400
/** Key of a round's only form. */
const formKey = 'choice'
/** Key of a call's only page. */
const visitKey = 'visit'

export function elicitation({ key = randomBytes(32), clock = systemClock, questionSeconds, ...limits }: ElicitationOptions): Elicitation {
  const chosenMs = questionSeconds === undefined ? undefined : questionSeconds * 1_000
  const timeoutMs = chosenMs ?? limits.timeoutMs ?? defaultTimeoutMs
  const patienceMs = chosenMs ?? Math.min(timeoutMs, callPatienceMs)
  const never = questionSeconds === 0 ? { forms: false, urls: false } : undefined
  const ttlSeconds = Math.ceil(timeoutMs / 1000) + lateSeconds
  const timing = { clock, timeoutMs }
  const codec = createRequestStateCodec<Pending>({ key, ttlSeconds, bind: callerIdentity })
  return {
    verify: (state, context) => codec.verify(state, context),

    viaInputRequired(call, context) {
      const { mcpReq } = context
      const pending = mcpReq.requestState<Pending>()
      const modes = never ?? acceptedModes(context)
      const reply = { responses: mcpReq.inputResponses, now: clock.now() }
      return asking(call, { ...timing, pending, reply, modes, mint: (state) => codec.mint(state, context) })
    },

    inTask(call, { args, state, responses, answeredAt, modes }) {
      const pending = state === undefined ? undefined : readState(state)
      const mint = (asked: Pending) => Promise.resolve(JSON.stringify(asked))
      const reply = { responses, now: answeredAt }
      return asking(call, { ...timing, args: pending ? undefined : args, pending, reply, modes: never ?? modes, mint })
    },

    stateOf: async ({ requestState }, context) =>
      requestState === undefined ? undefined : JSON.stringify(await codec.verify(requestState, context)),

    timeoutMs,

    viaServerRequest(call, { mcpReq }, client) {
      const capabilities = client.getClientCapabilities()
      const until = clock.monotonic() + patienceMs
      const request = async (params: ElicitRequestFormParams | ElicitRequestURLParams) => {
        const timeout = until - clock.monotonic()
        if (timeout <= 0) return undefined
        return mcpReq.send({ method: 'elicitation/create', params }, { timeout, signal: mcpReq.signal }).catch(() => undefined)
      }
      const style = (client.getNegotiatedProtocolVersion() ?? '') < '2025-11-25' ? 'parallel' : 'titled'
      const { forms, urls } = never ?? modesOf(capabilities)
      let args = forms ? withoutConsent(call) : call.args
      let rounds = 0
      /** Asks the person. Undefined if there is nothing to ask, or if the person gives no answer with which the call can continue. */
      const ask = async (answer: Answer): Promise<Arguments | undefined> => {
        const link = urls ? linkOf(answer) : undefined
        const choices = forms ? applicableChoices(answer, args) : undefined
        if (link) {
          const { id: elicitationId, url, message } = link
          const reply = await request({ mode: 'url', elicitationId, url, message })
          if (reply?.action !== 'accept' || !(await call.waitForLink?.(elicitationId))) return undefined
          await mcpReq.notify({ method: 'notifications/elicitation/complete', params: { elicitationId } }).catch(() => undefined)
          return args
        }
        if (!choices) return undefined
        const reply = await request(toForm(call.tool.title, choices, style))
        const selections = reply?.action === 'accept' ? readSelections(reply.content, toFields(choices)) : undefined
        return selections && applySelections(args, selections)
      }
      return {
        start: () => Promise.resolve({ args, waitedMs: 0 }),
        async next(answer) {
          rounds += 1
          const selected = rounds <= maxRounds ? await ask(answer) : undefined
          if (selected) return { args: (args = selected), waitedMs: 0 }
          // The result has the page's address, whatever the person does with the request.
          if (answer.ok && answer.urlElicitation && urls)
            await request({ mode: 'url', elicitationId: randomUUID(), ...answer.urlElicitation })
          return { answer }
        },
      }
    },
  }
}

interface Asking {
  readonly args?: Arguments | undefined
  readonly pending: Pending | undefined
  readonly reply: Reply
  readonly modes: AskingModes
  readonly clock: Clock
  readonly timeoutMs: number
  /** Writes and signs a question's state. */
  readonly mint: (state: Pending) => Promise<string>
}

/** A conversation whose questions end the call; the client repeats it with their answers. */
function asking(call: RepeatableCall, { args: given, pending, reply, modes, mint, clock, timeoutMs }: Asking): Conversation {
  let [args, chosen]: [Arguments, readonly Selection[]] = [given ?? (modes.forms ? withoutConsent(call) : call.args), []]
  return {
    async start() {
      if (pending && pending.call !== callDigest(call)) throw foreignState()
      if (!pending) return { args, waitedMs: 0 }
      if ('data' in pending) return { answer: { ok: true, data: pending.data } }
      const started = clock.monotonic()
      const resumed = await resume(pending, call, reply)
      if ('error' in resumed) return { answer: { ok: false, error: resumed.error } }
      chosen = resumed.chosen
      args = applySelections(args, chosen)
      return { args, waitedMs: clock.monotonic() - started }
    },
    async next(answer) {
      const round = { call: callDigest(call), round: pending && 'round' in pending ? pending.round + 1 : 1, chosen }
      const asked = question(answer, { call, args, round, until: clock.now() + timeoutMs }, modes)
      return { answer: asked ? inputRequired({ ...asked, requestState: await mint(asked.requestState) }) : answer }
    },
  }
}

/** Reads a state that a task has kept. */
function readState(text: string): Pending {
  const state = parseJson(text)
  if (isPending(state)) return state
  throw foreignState()
}

const isPending = (state: unknown): state is Pending => stringMember(state, 'call') !== undefined

interface Round {
  readonly call: RepeatableCall
  readonly args: Arguments
  readonly round: PendingRound
  /** Time, in milliseconds since 1970, after which an answer is too late. */
  readonly until: number
}

/** The question that a call's answer raises, and the state that comes back with the person's reply; undefined if the answer is final. */
function question(answer: Answer, { call, args, round, until }: Round, { forms, urls }: AskingModes) {
  if (answer.ok) {
    if (!answer.urlElicitation || !urls) return undefined
    const state: Pending = { call: round.call, data: answer.data }
    return { inputRequests: { [visitKey]: inputRequired.elicitUrl(answer.urlElicitation) }, requestState: state }
  }
  if (round.round > maxRounds) return undefined
  const link = urls ? linkOf(answer) : undefined
  if (link) {
    const state: Pending = { ...round, link: link.id, error: answer.error }
    return { inputRequests: { [visitKey]: inputRequired.elicitUrl({ url: link.url, message: link.message }) }, requestState: state }
  }
  const choices = forms ? applicableChoices(answer, args) : undefined
  if (!choices) return undefined
  const state: Pending = { ...round, fields: toFields(choices), refusal: answer.error, until }
  return { inputRequests: { [formKey]: inputRequired.elicit(toForm(call.tool.title, choices)) }, requestState: state }
}

interface Reply {
  readonly responses: Readonly<Record<string, unknown>> | undefined
  readonly now: number
}

/**
 * The selections from all rounds, for the call to continue with; or the error that ends the call if the person did not do what it needs.
 */
async function resume(
  pending: PendingQuestion | PendingConnect,
  { waitForLink }: RepeatableCall,
  { responses, now }: Reply,
): Promise<Pick<PendingRound, 'chosen'> | { readonly error: ErrorBody }> {
  if (!('link' in pending)) {
    const chosen = allSelections(pending, responses, now)
    return chosen ? { chosen } : { error: pending.refusal }
  }
  // A client answers as soon as the person agrees to open the page, before they are done there.
  const hasAgreed = member(member(responses, visitKey), 'action') === 'accept'
  return hasAgreed && (await waitForLink?.(pending.link)) === true ? { chosen: pending.chosen } : { error: pending.error }
}

function linkOf(answer: Answer): PersonLink | undefined {
  return answer.ok ? undefined : answer.connectLink
}

/** An error's choices, if every selection can be applied to the arguments. */
function applicableChoices(answer: Answer, args: Arguments): readonly Choice[] | undefined {
  if (answer.ok || !answer.choices?.length) return undefined
  return canApply(answer.choices, args) ? answer.choices : undefined
}

/** The selections from all rounds, including this answer's; undefined if the person selected nothing, or too late. */
function allSelections(
  { fields, chosen, until }: PendingQuestion,
  responses: Readonly<Record<string, unknown>> | undefined,
  now: number,
): Selection[] | undefined {
  const selections = now < until ? readSelections(acceptedContent(responses, formKey), fields) : undefined
  return selections && [...chosen, ...selections]
}

/** True for a client that names the form mode, or no mode at all. */
function acceptsForms(capabilities: unknown): boolean {
  const modes = member(capabilities, 'elicitation')
  return modes !== undefined && (member(modes, 'form') !== undefined || member(modes, 'url') === undefined)
}

/** Modes in which a client on the current revision can ask the person. */
export function acceptedModes({ mcpReq }: ServerContext): AskingModes {
  return modesOf(member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY))
}

function modesOf(capabilities: unknown): AskingModes {
  return { forms: acceptsForms(capabilities), urls: member(member(capabilities, 'elicitation'), 'url') !== undefined }
}

/**
 * Identifies the caller: on a multi-user server, the person and the client, because tokens change from time to time; otherwise the holder
 * of the token. The state contains only a digest of this. Over stdio there is one caller.
 */
function callerIdentity({ http }: ServerContext): string {
  const caller = currentCaller()
  if (caller) return JSON.stringify([caller.owner, caller.clientId, caller.profile])
  return http?.req?.headers.get('authorization') ?? ''
}

/** Equal for equal calls; the order of the arguments does not matter. */
function callDigest({ tool, args }: RepeatableCall): string {
  return createHash('sha256')
    .update(canonicalJson([tool.name, args]))
    .digest('base64url')
}

/** The SDK's error for a state that this server did not sign. */
function foreignState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
}

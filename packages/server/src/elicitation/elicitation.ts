import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { CallResult, Choice, ErrorBody } from '@mcp-toolkits/core'
import { systemClock, type Clock } from '@mcp-toolkits/core/clock'
import { canonicalJson, member } from '@mcp-toolkits/core/json'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type ElicitRequestFormParams,
  type ElicitRequestURLParams,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Answer } from '../answer.ts'
import type { ListedTool } from '../definition.ts'
import { readSelections, toFields, canApply, toForm, applySelections, type Arguments, type Selection, type FormField } from './form.ts'

/** A call that can be repeated with what a person selected. */
export interface RepeatableCall {
  readonly tool: ListedTool
  readonly args: Arguments
  readonly run: (args: Arguments) => Promise<Answer>
}

/** What a client of an earlier revision declared when it connected. */
export interface LegacyClient {
  readonly getClientCapabilities: () => unknown
  readonly getNegotiatedProtocolVersion: () => string | undefined
}

export interface ElicitationOptions {
  /** Signs the state that travels through the client; at least 32 bytes. Without it only the process that asked understands an answer. */
  readonly key?: Uint8Array | undefined
  /** How long a person may take to answer, in milliseconds; ten minutes when absent. */
  readonly timeoutMs?: number | undefined
  readonly clock?: Clock | undefined
}

/** Asks the person behind a client: to select where a reference is ambiguous, or to open a page where only they can go on. */
export interface Elicitation {
  /** For the SDK: reads the state that came back through the client, or throws. */
  readonly verify: (state: string, context: ServerContext) => Promise<PendingQuestion | PendingVisit>
  /** Asks with an unfinished result, which the client answers by repeating the call: revision 2026-07-28. */
  readonly viaInputRequired: (call: RepeatableCall, context: ServerContext) => Promise<Answer | InputRequiredResult>
  /** Asks with a request to the client while the call waits: earlier revisions, on a connection that can carry one. */
  readonly viaServerRequest: (call: RepeatableCall, context: ServerContext, client: LegacyClient) => Promise<Answer>
}

/** A question that waits for its answer; it travels through the client, signed but not secret. */
interface PendingQuestion {
  /** Digest of tool and arguments. */
  readonly call: string
  readonly round: number
  readonly fields: readonly FormField[]
  /** From earlier rounds. */
  readonly chosen: readonly Selection[]
  /** What the caller gets when the person selects nothing. */
  readonly refusal: ErrorBody
  /** When an answer is too late, in milliseconds since 1970. */
  readonly until: number
}

/** A page that the person is to open; it travels through the client with the result of the call. */
interface PendingVisit {
  readonly call: string
  readonly data: CallResult['data']
}

/** Questions that one call may lead to. */
const maxRounds = 3
const defaultTimeoutMs = 600_000
/** How long a late answer still gets the suggestions and not an error of the protocol, in seconds. */
const lateSeconds = 86_400
/** The only form of a round. */
const formKey = 'choice'
/** The only page of a call. */
const visitKey = 'visit'

export function elicitation({ key = randomBytes(32), timeoutMs = defaultTimeoutMs, clock = systemClock }: ElicitationOptions): Elicitation {
  const ttlSeconds = Math.ceil(timeoutMs / 1000) + lateSeconds
  const codec = createRequestStateCodec<PendingQuestion | PendingVisit>({ key, ttlSeconds, bind: callerIdentity })
  return {
    verify: (state, context) => codec.verify(state, context),

    async viaInputRequired(call, context) {
      const { mcpReq } = context
      const pending = mcpReq.requestState<PendingQuestion | PendingVisit>()
      if (pending && pending.call !== callDigest(call)) throw foreignState()
      if (pending && 'data' in pending) return { ok: true, data: pending.data }
      const selections = pending ? allSelections(pending, mcpReq.inputResponses, clock.now()) : []
      if (pending && !selections) return { ok: false, error: pending.refusal }
      const args = applySelections(call.args, selections ?? [])
      const answer = await call.run(args)
      const capabilities = member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY)
      const round = (pending?.round ?? 0) + 1
      if (answer.ok) {
        if (!answer.urlElicitation || !acceptsUrls(capabilities)) return answer
        const state: PendingVisit = { call: callDigest(call), data: answer.data }
        const inputRequests = { [visitKey]: inputRequired.elicitUrl(answer.urlElicitation) }
        return inputRequired({ inputRequests, requestState: await codec.mint(state, context) })
      }
      const choices = applicableChoices(answer, args)
      if (!choices || round > maxRounds || !acceptsForms(capabilities)) return answer
      const state: PendingQuestion = {
        call: callDigest(call),
        round,
        fields: toFields(choices),
        chosen: selections ?? [],
        refusal: answer.error,
        until: clock.now() + timeoutMs,
      }
      const inputRequests = { [formKey]: inputRequired.elicit(toForm(call.tool.title, choices)) }
      return inputRequired({ inputRequests, requestState: await codec.mint(state, context) })
    },

    async viaServerRequest(call, { mcpReq }, client) {
      const capabilities = client.getClientCapabilities()
      const request = async (params: ElicitRequestFormParams | ElicitRequestURLParams) =>
        mcpReq.send({ method: 'elicitation/create', params }, { timeout: timeoutMs, signal: mcpReq.signal }).catch(() => undefined)
      const style = (client.getNegotiatedProtocolVersion() ?? '') < '2025-11-25' ? 'parallel' : 'titled'
      let { args } = call
      let answer = await call.run(args)
      for (let round = 1; round <= maxRounds && acceptsForms(capabilities); round += 1) {
        const choices = applicableChoices(answer, args)
        const reply = choices && (await request(toForm(call.tool.title, choices, style)))
        const selections = reply?.action === 'accept' ? readSelections(reply.content, toFields(choices ?? [])) : undefined
        if (!selections) break
        args = applySelections(args, selections)
        answer = await call.run(args)
      }
      // Whatever the person does with the page, its address is in the result.
      if (answer.ok && answer.urlElicitation && acceptsUrls(capabilities))
        await request({ mode: 'url', elicitationId: randomUUID(), ...answer.urlElicitation })
      return answer
    },
  }
}

/** The choices of an error, if the answers can all be applied to the arguments. */
function applicableChoices(answer: Answer, args: Arguments): readonly Choice[] | undefined {
  if (answer.ok || !answer.choices?.length) return undefined
  return canApply(answer.choices, args) ? answer.choices : undefined
}

/** The selections of all rounds, this answer included; undefined when the person selected nothing, or too late. */
function allSelections(
  { fields, chosen, until }: PendingQuestion,
  responses: Readonly<Record<string, unknown>> | undefined,
  now: number,
): Selection[] | undefined {
  const selections = now < until ? readSelections(acceptedContent(responses, formKey), fields) : undefined
  return selections && [...chosen, ...selections]
}

/** A client that names no mode accepts forms; one that names only others does not. */
function acceptsForms(capabilities: unknown): boolean {
  const modes = member(capabilities, 'elicitation')
  return modes !== undefined && (member(modes, 'form') !== undefined || member(modes, 'url') === undefined)
}

function acceptsUrls(capabilities: unknown): boolean {
  return member(member(capabilities, 'elicitation'), 'url') !== undefined
}

/** Identifies the caller. The state holds only its digest; over stdio there is one caller. */
function callerIdentity({ http }: ServerContext): string {
  return http?.req?.headers.get('authorization') ?? ''
}

/** Equal for equal calls; the order of the arguments does not matter. */
function callDigest({ tool, args }: RepeatableCall): string {
  return createHash('sha256')
    .update(canonicalJson([tool.name, args]))
    .digest('base64url')
}

/** The SDK's error for a state that it did not sign. */
function foreignState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
}

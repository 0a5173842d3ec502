import { createHash, randomBytes, randomUUID } from 'node:crypto'
import type { Choice, ErrorBody, CallResult, UrlElicitation } from '@mcp-toolkits/core'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createRequestStateCodec,
  inputRequired,
  ProtocolError,
  ProtocolErrorCode,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server'
import type { Answer } from '../answer.ts'
import type { ListedTool } from '../definition.ts'
import { readSelections, toFields, canApply, toForm, applySelections, type Arguments, type Selection, type FormField } from './form.ts'

/** A call that can be made again with what a person chose. */
export interface RepeatableCall {
  readonly tool: ListedTool
  readonly args: Arguments
  readonly run: (args: Arguments) => Promise<Answer>
}

/** What a client of a 2025 revision said when it connected. */
export interface LegacyClient {
  readonly getClientCapabilities: () => unknown
  readonly getNegotiatedProtocolVersion: () => string | undefined
}

export interface ElicitationOptions {
  /** Signs what travels through the client; at least 32 bytes. Without it a question can only be answered to the process that asked. */
  readonly key?: Uint8Array | undefined
  /** How long a person may take to answer, in milliseconds; ten minutes when absent. */
  readonly timeoutMs?: number | undefined
}

/** Brings a call to the person: to choose where it could mean several things, to open a page where only they can go on. */
export interface Elicitation {
  /** For the SDK: reads what came back through the client, or throws. */
  readonly verify: (state: string, context: ServerContext) => Promise<PendingQuestion | PendingVisit>
  /** Asks by an unfinished result, which the client answers with the same call again: revision 2026-07-28. */
  readonly viaInputRequired: (call: RepeatableCall, context: ServerContext) => Promise<Answer | InputRequiredResult>
  /** Asks with a request of its own while the call waits: earlier revisions, on a connection that can carry one. */
  readonly viaServerRequest: (call: RepeatableCall, context: ServerContext, client: LegacyClient) => Promise<Answer>
}

/** What travels through the client with a question: what the call was, what is asked and what was chosen. Signed, but not secret. */
interface PendingQuestion {
  /** Digest of tool and arguments. */
  readonly call: string
  readonly round: number
  readonly fields: readonly FormField[]
  /** In earlier rounds. */
  readonly chosen: readonly Selection[]
  /** What the caller gets when nobody chooses. */
  readonly refusal: ErrorBody
  /** When the answer comes too late, in milliseconds since 1970. */
  readonly until: number
}

/** What travels with a page that the person is to open: what the call was, and what it came to. */
interface PendingVisit {
  readonly call: string
  readonly data: CallResult['data']
}

/** Questions that one call may lead to. */
const mostRounds = 3
const defaultPatienceMs = 600_000
/** How long a late answer still gets the suggestions and not an error of the protocol, in seconds. */
const lateSeconds = 86_400
/** The only form of a round. */
const formKey = 'choice'
/** The only page of a call. */
const visitKey = 'visit'

export function elicitation({ key = randomBytes(32), timeoutMs: patienceMs = defaultPatienceMs }: ElicitationOptions): Elicitation {
  const codec = createRequestStateCodec<PendingQuestion | PendingVisit>({
    key,
    ttlSeconds: Math.ceil(patienceMs / 1000) + lateSeconds,
    bind: callerIdentity,
  })
  return {
    verify: (state, context) => codec.verify(state, context),

    async viaInputRequired(call, context) {
      const { mcpReq } = context
      const asked = mcpReq.requestState<PendingQuestion | PendingVisit>()
      if (asked && asked.call !== callDigest(call)) throw foreignState()
      if (asked && 'data' in asked) return { ok: true, data: asked.data }
      const chosen = asked ? chosenAfter(asked, mcpReq.inputResponses) : []
      if (asked && !chosen) return { ok: false, error: asked.refusal }
      const args = applySelections(call.args, chosen ?? [])
      const answer = await call.run(args)
      const choices = choicesIn(answer, args)
      const round = (asked?.round ?? 0) + 1
      const capabilities = member(mcpReq.envelope, CLIENT_CAPABILITIES_META_KEY)
      if (answer.ok && answer.urlElicitation && acceptsUrls(capabilities)) {
        const state: PendingVisit = { call: callDigest(call), data: answer.data }
        return inputRequired({
          inputRequests: { [visitKey]: inputRequired.elicitUrl(answer.urlElicitation) },
          requestState: await codec.mint(state, context),
        })
      }
      if (answer.ok || !choices || round > mostRounds || !acceptsForms(capabilities)) return answer
      const state: PendingQuestion = {
        call: callDigest(call),
        round,
        fields: toFields(choices),
        chosen: chosen ?? [],
        refusal: answer.error,
        until: Date.now() + patienceMs,
      }
      return inputRequired({
        inputRequests: { [formKey]: inputRequired.elicit(toForm(call.tool.title, choices)) },
        requestState: await codec.mint(state, context),
      })
    },

    async viaServerRequest({ tool, args: given, run }, { mcpReq }, client) {
      const style = (client.getNegotiatedProtocolVersion() ?? '') < '2025-11-25' ? 'parallel' : 'titled'
      const ask = async (choices: readonly Choice[]) => {
        const request = { method: 'elicitation/create', params: toForm(tool.title, choices, style) } as const
        const reply = await mcpReq.send(request, { timeout: patienceMs, signal: mcpReq.signal }).catch(() => undefined)
        return reply?.action === 'accept' ? readSelections(reply.content, toFields(choices)) : undefined
      }
      let args = given
      let answer = await run(args)
      for (let round = 1; round <= mostRounds && acceptsForms(client.getClientCapabilities()); round += 1) {
        const choices = choicesIn(answer, args)
        const chosen = choices && (await ask(choices))
        if (!chosen) break
        args = applySelections(args, chosen)
        answer = await run(args)
      }
      if (answer.ok && answer.urlElicitation && acceptsUrls(client.getClientCapabilities()))
        await requestVisit(answer.urlElicitation, { mcpReq, patienceMs })
      return answer
    },
  }
}

/** Offers the person to open a page while the call waits. Whatever they do with it, its address stands in the result. */
async function requestVisit(
  visit: UrlElicitation,
  { mcpReq, patienceMs }: Pick<ServerContext, 'mcpReq'> & { readonly patienceMs: number },
): Promise<void> {
  const request = { method: 'elicitation/create', params: { mode: 'url', elicitationId: randomUUID(), ...visit } } as const
  await mcpReq.send(request, { timeout: patienceMs, signal: mcpReq.signal }).catch(() => undefined)
}

/** What a person can be asked, when all of it can be put into the arguments. */
function choicesIn(answer: Answer, args: Arguments): readonly Choice[] | undefined {
  if (answer.ok || !answer.choices?.length) return undefined
  return canApply(answer.choices, args) ? answer.choices : undefined
}

/** All that was chosen, the answer to this question included; undefined when there is none, or it comes too late. */
function chosenAfter(
  { fields, chosen, until }: PendingQuestion,
  responses: Readonly<Record<string, unknown>> | undefined,
): Selection[] | undefined {
  const now = Date.now() < until ? readSelections(acceptedContent(responses, formKey), fields) : undefined
  return now && [...chosen, ...now]
}

/** A client that names no mode takes forms; one that names only others does not. */
function acceptsForms(capabilities: unknown): boolean {
  const modes = member(capabilities, 'elicitation')
  return modes !== undefined && (member(modes, 'form') !== undefined || member(modes, 'url') === undefined)
}

/** Only a client that says so opens pages. */
function acceptsUrls(capabilities: unknown): boolean {
  return member(member(capabilities, 'elicitation'), 'url') !== undefined
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? new Map<string, unknown>(Object.entries(value)).get(name) : undefined
}

/** As whom a client calls. Only its digest travels; over stdio there is one caller. */
function callerIdentity({ http }: ServerContext): string {
  return http?.req?.headers.get('authorization') ?? ''
}

/** The same for the same call, in whatever order its arguments are written. */
function callDigest({ tool, args }: RepeatableCall): string {
  const ordered = (_key: string, value: unknown) =>
    typeof value === 'object' && value !== null && !Array.isArray(value)
      ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
      : value
  return createHash('sha256')
    .update(JSON.stringify([tool.name, args], ordered))
    .digest('base64url')
}

/** What the SDK says of a state that it did not sign. */
function foreignState(): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, 'Invalid or expired requestState', { reason: 'invalid_request_state' })
}

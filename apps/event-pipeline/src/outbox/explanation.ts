import { joinWords, type Message, quoteVendor, sentence, type ToolError, withDetails } from '@mcp-toolkits/core/errors'
import type { Finding } from '../pipelines/findings/finding.ts'
import { describeFindings } from '../pipelines/findings/findings.ts'
import type { Entry, ParkReason } from './outbox-store.ts'

/** Whoever can correct a wrong key: the caller, who started the server and reads its errors; a person, on a page; or the operator. */
export type KeyIsSetBy = 'caller' | 'person' | 'operator'

/** Adds the vendor's messages, the local check's findings, how much of a batch was accepted, and the next step. */
export function withExplanation(
  error: ToolError,
  { findings }: { readonly findings: readonly Finding[] },
  entries: readonly Entry[],
  keyIsSetBy: KeyIsSetBy,
): ToolError {
  const faults = error.code === 'invalid_input' ? findings.filter(({ isFault }) => isFault) : []
  const accepted = entries.filter(({ state }) => state === 'delivered').length
  const isUnknown = entries.some(({ reason }) => reason === 'unknown_outcome')
  const isRefused = entries.some(({ state }) => state === 'refused')
  const parked = entries.filter(({ state }) => state === 'parked')
  const text = error.text.and(
    faults.length > 0 ? describeFindings(faults) : quoteVendor('Customer.io', ...(error.details.errors ?? [])),
    entries.length > 1
      ? `The batch is sent in ${entries.length} requests; ${accepted} of them ${accepted === 1 ? 'was' : 'were'} accepted.`
      : '',
    isUnknown ? 'Customer.io may have accepted it; without a messageId a repeat may count twice.' : '',
    isRefused ? 'Not retried. Fix the body and call again; you may keep the messageId.' : '',
    parked.length > 0 && !isRefused ? explainParked(parked, keyIsSetBy) : '',
  )
  const { sent, ...details } = error.details
  const needsKey = keyIsSetBy === 'person' && parked.some(({ reason }) => reason === 'unauthenticated')
  const connect = needsKey && ({ connect: { purpose: 'key' } } as const)
  // Unchanged, the error would claim that a retry is safe, which it is not for a write without a messageId.
  return withDetails(error, text, {
    ...details,
    ...connect,
    ...(isUnknown ? { retryable: false } : sent && { sent }),
  })
}

/**
 * Explains parked entries. An entry is sent only with the key and to the address that its call used, so if either is wrong, the body must
 * be submitted again.
 */
function explainParked(parked: readonly Entry[], keyIsSetBy: KeyIsSetBy): Message {
  const ids = parked.map(({ id }) => id)
  const [entry, it, is] = ids.length === 1 ? ['entry', 'It stays', 'is'] : ['entries', 'They stay', 'are']
  const summary = sentence`${it} in the outbox (${entry} ${joinWords(ids.map(String))}) and ${is} not sent automatically.`
  const reasons = parked.map((each) => each.reason)
  if (reasons.includes('key_ended')) return summary.and('It is sent if the person enters that key again; otherwise send the event again.')
  if (reasons.includes('damaged')) return summary.and('Send the event again; you may keep the messageId.')
  const reason = reasons.find((each) => each === 'unauthenticated' || each === 'redirected')
  if (reason === undefined) return summary
  if (keyIsSetBy === 'person' && reason === 'unauthenticated')
    return summary.and('Ask the person to open the page and enter a different key; then send the event again.')
  if (keyIsSetBy !== 'caller')
    return summary.and('The operator of this server has to correct its key or address; send the event again when they have.')
  const commands = joinWords(ids.map((id) => `\`outbox drop ${id}\``))
  return summary.and(sentence`${fixes[reason]}, restart the server and send the event again; then drop the old ${entry}: ${commands}.`)
}

const fixes = {
  unauthenticated: sentence`Set ${{ variable: 'EVENT_PIPELINE_API_KEY' }} (or ${{ variable: 'EVENT_PIPELINE_REGION' }})`,
  redirected: sentence`Set ${{ variable: 'EVENT_PIPELINE_REGION' }} (or ${{ variable: 'EVENT_PIPELINE_API_URL' }})`,
} satisfies Partial<Record<ParkReason, Message>>

import { Message, NotFound } from '@mcp-toolkits/core/errors'
import * as z from 'zod'
import type { Context } from '../../connect.ts'
import { defineTool } from '../../context.ts'
import { type Entry, isSameDestination, ownerIn } from '../../outbox/outbox-store.ts'

const entryId = z.int().min(1).describe('Its id in the list of waiting events.')
const outcome = z.object({ id: z.int(), outcome: z.enum(['delivered', 'queued', 'dropped']) })

/** The outbox, and the person whose entries the caller may see; undefined for the whole account. */
async function accessOf(context: Context, owner: string | undefined) {
  const { isShared, ...access } = await context.waiting()
  return { ...access, owner: isShared ? ownerIn(access.destination, owner) : undefined }
}

/**
 * The outbox, and the undelivered entry with an id, if it belongs to the caller or to no one. Other people's entries do not exist for the
 * caller.
 */
async function ownEntry(context: Context, id: number, caller: string | undefined) {
  const { store, destination, owner } = await accessOf(context, caller)
  const [entry] = await store.entries([id])
  const isShared = owner !== undefined && entry?.owner === ''
  const isOwn = entry && isSameDestination(entry.destination, destination) && (isShared || entry.owner === (owner ?? entry.owner))
  if (!isOwn || entry.state === 'delivered') throw new NotFound(`No event with the id ${id} is waiting.`)
  // An entry has no owner if its caller could not be told apart from others, or if the entry is older than the column; all callers share
  // it.
  return { store, entry, isSecret: isShared }
}

/** A list row, without the body. */
const rowOf = ({ id, state, call, attempts, error, createdAt }: Entry) => ({
  ...{ id, call, attempts, state: state === 'refused' || state === 'parked' ? state : ('waiting' as const) },
  ...(error && { last_error: error.message }),
  stored_at: new Date(createdAt).toISOString(),
})

export const listWaitingEvents = defineTool({
  name: 'ListWaitingEvents',
  title: 'List waiting events',
  description: Message.of('List the requests of this account that are stored and not delivered yet, oldest first.'),
  effect: 'read',
  scopes: [],
  input: z.strictObject({
    id: z.int().min(1).optional().describe('Only the event with this id, with its body unless several callers share it.'),
    limit: z.int().min(1).max(100).default(20).describe('Maximum number of entries.'),
  }),
  output: z.object({
    events: z.array(
      z.object({
        id: z.int(),
        state: z.enum(['waiting', 'refused', 'parked']),
        call: z.string(),
        attempts: z.int(),
        last_error: z.string().optional(),
        stored_at: z.string(),
        body: z.string().optional(),
      }),
    ),
    pagination: z.object({ has_more: z.boolean(), end_cursor: z.null() }),
  }),
  example: {},
  async run({ id, limit }, context, { owner: caller }) {
    if (id !== undefined) {
      const { entry, isSecret } = await ownEntry(context, id, caller)
      return {
        events: [{ ...rowOf(entry), body: isSecret ? undefined : entry.body }],
        pagination: { has_more: false, end_cursor: null },
      }
    }
    const { store, destination, owner } = await accessOf(context, caller)
    const own = await store.overview(destination, { owner, limit: limit + 1 })
    return { events: own.slice(0, limit).map(rowOf), pagination: { has_more: own.length > limit, end_cursor: null } }
  },
})

export const sendWaitingEvent = defineTool({
  name: 'SendWaitingEvent',
  title: 'Send a waiting event now',
  description: Message.of('Send one stored request now, even one that was refused. It keeps its ids, so it counts once.'),
  effect: 'update',
  scopes: [],
  input: z.strictObject({ id: entryId }),
  output: outcome,
  example: { id: 1 },
  async run({ id }, context, { signal, owner }) {
    await ownEntry(context, id, owner)
    return { id, outcome: await (await context.outbox()).resend(id, signal) }
  },
})

export const dropWaitingEvent = defineTool({
  name: 'DropWaitingEvent',
  title: 'Drop a waiting event',
  description: Message.of('Delete one stored request that is not delivered. It will not be sent.'),
  effect: 'delete',
  scopes: [],
  input: z.strictObject({ id: entryId }),
  output: outcome,
  example: { id: 1 },
  async run({ id }, context, { owner }) {
    const { store } = await ownEntry(context, id, owner)
    if (await store.drop(id)) return { id, outcome: 'dropped' as const }
    // The entry is being sent, or has been settled meanwhile.
    const [kept] = await store.entries([id])
    if (!kept) return { id, outcome: 'dropped' as const }
    return { id, outcome: kept.state === 'delivered' ? ('delivered' as const) : ('queued' as const) }
  },
})

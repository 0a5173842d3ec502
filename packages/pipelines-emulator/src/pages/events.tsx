import { Call, type Change, indentJson, More, pageSize, Time, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import type { Store } from '@mcp-toolkits/emulator'
import { latestEvents, type PipelinesEvent, selectEvents } from '../events.ts'

/** The newest event, for the status line. */
export function latestChange(store: Store): Change | undefined {
  const [event] = latestEvents(store, 1)
  return event && { at: event.received_at, operation: event.type, call: event.call, subject: `${titleOf(event)}: ${event.outcome}` }
}

/** All events, newest first. */
export const eventsPage = (store: Store, path: string): WorkspacePage => ({
  path,
  show({ query }) {
    const before = Number(query('before') ?? Number.MAX_SAFE_INTEGER)
    const found = selectEvents(store, 'where id < :before order by id desc limit :limit', { before, limit: pageSize + 1 })
    const events = found.slice(0, pageSize)
    return {
      title: 'Events',
      section: '/events',
      content: (
        <>
          <p class="soft">
            The outcome of each event, which Customer.io does not report: it answers 200 to nearly everything. Newest first.
          </p>
          {events.length === 0 && <p>No events yet. They appear here as they arrive.</p>}
          <EventList events={events} />
          <More href={found.length > pageSize ? `/workspace/events?before=${events.at(-1)?.id ?? 0}` : undefined} label="Older" />
        </>
      ),
    }
  },
})

/** One event by its id. */
export const eventPage = (store: Store): WorkspacePage => ({
  path: '/event/:id{[0-9]+}',
  show({ part }) {
    const [event] = selectEvents(store, 'where id = :id', { id: Number(part('id')) })
    return (
      event && {
        title: `Event ${event.id}: ${titleOf(event)}`,
        section: '/events',
        content: <EventList events={[event]} isOpen />,
      }
    )
  },
})

/** Events with their outcome and their body, which opens. */
export function EventList({ events, isOpen = false }: { readonly events: readonly PipelinesEvent[]; readonly isOpen?: boolean }) {
  return (
    <ul class="rows">
      {events.map((event) => (
        <EventItem event={event} isOpen={isOpen} />
      ))}
    </ul>
  )
}

function EventItem({ event, isOpen }: { readonly event: PipelinesEvent; readonly isOpen: boolean }) {
  const { id, type, outcome, reason, duplicate_of: first, notes, semantic, received_at: at, call, source, body, bytes } = event
  return (
    <li id={`event-${id}`}>
      <a href={`/workspace/event/${id}`} class="soft">
        {id}
      </a>{' '}
      <strong dir="auto">{titleOf(event)}</strong> <Person id={event.user_id ?? event.anonymous_id} />{' '}
      <span class={outcome === 'accepted' ? 'tag good' : 'tag bad'}>{outcome}</span> <Call call={call} operation={type} /> <Time at={at} />
      {reason !== null && (
        <p dir="auto">
          {reason} {first !== null && <a href={`/workspace/event/${first}`}>Show it</a>}
        </p>
      )}
      {notes !== '' && <p dir="auto">{notes.split('\n').join(' · ')}</p>}
      {semantic !== null && <p>The vendor also {semantic}.</p>}
      {source !== null && source !== 'default' && <p>Source: {source}</p>}
      <details id={`body-${id}`} open={isOpen}>
        <summary>{`Body, ${bytes} bytes`}</summary>
        <pre dir="auto">{indentJson(body)}</pre>
      </details>
    </li>
  )
}

function Person({ id }: { readonly id: string | null }) {
  return id === null ? (
    <span class="soft">no person</span>
  ) : (
    <a href={personPath(id)} dir="auto">
      {id}
    </a>
  )
}

/** The timeline of a person. */
export const personPath = (id: string): string => `/workspace/person?id=${encodeURIComponent(id)}`

/** What an event is called: the name in a `track` call, or its type. */
function titleOf({ type, event, group_id: group, previous_id: previous }: PipelinesEvent): string {
  if (event !== null) return event
  if (type === 'group' && group !== null) return `group ${group}`
  return type === 'alias' && previous !== null ? `alias of ${previous}` : type
}

import { integer, isObject, parseJson, type Store } from '@mcp-toolkits/emulator'
import {
  Call,
  type Change,
  countOf,
  Fact,
  filteredPath,
  Filters,
  indentJson,
  newestFirst,
  pageSize,
  Time,
  type Workspace,
  type WorkspacePage,
} from '@mcp-toolkits/emulator/workspace'
import { type PipelinesEvent, selectEvents } from './events.ts'

/** The events and their outcomes as pages. */
export const pipelinesWorkspace = (store: Store): Workspace => ({
  sections: [{ path: '/events', label: 'Events' }],
  revision: () => String(store.rows({ last: integer }, 'select coalesce(max(id), 0) as last from events')[0]?.last ?? 0),
  latestChange: () => latestChange(store),
  pages: [eventsPage(store, '/'), eventsPage(store, '/events'), eventPage(store), personPage(store)],
})

/** The newest event, for the status line. */
function latestChange(store: Store): Change | undefined {
  const [event] = selectEvents(store, 'order by id desc limit :count', { count: 1 })
  return event && { at: event.received_at, operation: event.type, call: event.call, subject: `${titleOf(event)}: ${event.outcome}` }
}

/** The list's filters, each with the condition that it sets. */
const filters: Readonly<Record<string, string>> = {
  q: "instr(lower(coalesce(event, type) || ' ' || coalesce(user_id, '') || ' ' || coalesce(anonymous_id, '')), lower(:q)) > 0",
  type: 'type = :type',
  outcome: 'outcome = :outcome',
}

const choices = [
  { name: 'type', any: 'Any type', options: ['track', 'identify', 'page', 'screen', 'group', 'alias'] },
  { name: 'outcome', any: 'Any outcome', options: ['accepted', 'duplicate', 'dropped', 'refused'] },
]

/** All events, newest first. */
const eventsPage = (store: Store, path: string): WorkspacePage => ({
  path,
  show(request) {
    const { query } = request
    const names = Object.keys(filters)
    const set = names.flatMap((name) => {
      const value = query(name)
      return value === undefined ? [] : [[name, value] as const]
    })
    const where = ['id < :before', ...set.map(([name]) => filters[name])].join(' and ')
    const { rows: events, older } = newestFirst(request, filteredPath('/workspace/events', query, names), (range) =>
      selectEvents(store, `where ${where} order by id desc limit :limit`, { ...Object.fromEntries(set), ...range }),
    )
    return {
      title: 'Events',
      section: '/events',
      content: (
        <>
          <p class="soft">
            Events and their outcomes, newest first. Customer.io does not report outcomes: it answers 200 to nearly everything.
          </p>
          <Filters action="/workspace/events" query={query} search="Search names and people" choices={choices} />
          {events.length === 0 && <p>{set.length > 0 ? 'No events.' : 'No events yet. They appear here as they arrive.'}</p>}
          <EventList events={events} />
          {older}
        </>
      ),
    }
  },
})

const eventPage = (store: Store): WorkspacePage => ({
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

/** Events with their outcomes and collapsed bodies. */
function EventList({ events, ...shown }: { readonly events: readonly PipelinesEvent[] } & ShownParts) {
  return (
    <ul class="rows">
      {events.map((event) => (
        <EventItem event={event} {...shown} />
      ))}
    </ul>
  )
}

interface ShownParts {
  readonly isOpen?: boolean
  /** The person whose page it is. */
  readonly of?: string
}

function EventItem({ event, isOpen = false, of }: { readonly event: PipelinesEvent } & ShownParts) {
  const { id, type, outcome, reason, duplicate_of: first, notes, semantic, received_at: at, call, source, body, bytes } = event
  const person = event.user_id ?? event.anonymous_id
  return (
    <li id={`event-${id}`}>
      <a href={`/workspace/event/${id}`} class="soft">
        {id}
      </a>{' '}
      <strong dir="auto">{titleOf(event)}</strong> {person === of ? null : <Person id={person} />}{' '}
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

/** The path of a person's timeline. */
const personPath = (id: string): string => `/workspace/person?id=${encodeURIComponent(id)}`

/** An event's name: the one in a `track` call, or its type. */
function titleOf({ type, event, group_id: group, previous_id: previous }: PipelinesEvent): string {
  if (event !== null) return event
  if (type === 'group' && group !== null) return `group ${group}`
  return type === 'alias' && previous !== null ? `alias of ${previous}` : type
}

/** One person's events, newest first, with the known attributes. */
const personPage = (store: Store): WorkspacePage => ({
  path: '/person',
  show(request) {
    const id = request.query('id')
    if (id === undefined) return undefined
    const { rows: events, older } = newestFirst(request, personPath(id), (range) => eventsOf(store, { id, ...range }))
    if (events.length === 0) return undefined
    const traits = traitsOf(store, id)
    return {
      title: id,
      section: '/events',
      content: (
        <div class="split">
          <section aria-labelledby="timeline">
            <h2 id="timeline">Timeline</h2>
            <EventList events={events} of={id} />
            {older}
          </section>
          <aside aria-labelledby="traits">
            <h2 id="traits">{countOf(traits.length, 'attribute')}</h2>
            <dl class="facts">
              {traits.map(([name, value]) => (
                <Fact name={name}>{typeof value === 'string' ? value : JSON.stringify(value)}</Fact>
              ))}
            </dl>
          </aside>
        </div>
      ),
    }
  },
})

interface Range {
  readonly id: string
  readonly before: number
  readonly limit: number
}

/** Events that identify a person in any way. Each way has an index, so no other events are read. */
function eventsOf(store: Store, { id, before, limit }: Range): PipelinesEvent[] {
  const found = ['user_id', 'anonymous_id', 'previous_id'].flatMap((column) =>
    selectEvents(store, `where ${column} = :id and id < :before order by id desc limit :limit`, { id, before, limit }),
  )
  const byId = new Map(found.map((event) => [event.id, event]))
  return [...byId.values()].sort((one, other) => other.id - one.id).slice(0, limit)
}

/** Number of newest events to read for attributes. */
const identifyLimit = 50

/** Attributes set by accepted `identify` calls, with their newest values. */
function traitsOf(store: Store, id: string): [string, unknown][] {
  const traits = new Map<string, unknown>()
  const clause = "where user_id = :id and type = 'identify' and outcome = 'accepted' order by id desc limit :limit"
  for (const { body } of selectEvents(store, clause, { id, limit: identifyLimit })) {
    const call = parseJson(body)
    const set = isObject(call) && isObject(call['traits']) ? call['traits'] : {}
    for (const [name, value] of Object.entries(set)) if (!traits.has(name)) traits.set(name, value)
  }
  return [...traits].slice(0, pageSize)
}

import { isObject, parseJson, type Store } from '@mcp-toolkits/emulator'
import { countOf, Fact, More, pageSize, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { type PipelinesEvent, selectEvents } from '../events.ts'
import { EventList, personPath } from './events.tsx'

/** What one person did, newest first, and what is known about them. */
export const personPage = (store: Store): WorkspacePage => ({
  path: '/person',
  show({ query }) {
    const id = query('id')
    if (id === undefined) return undefined
    const before = Number(query('before') ?? Number.MAX_SAFE_INTEGER)
    const found = eventsOf(store, { id, before, limit: pageSize + 1 })
    if (found.length === 0) return undefined
    const events = found.slice(0, pageSize)
    const traits = traitsOf(store, id)
    return {
      title: id,
      section: '/events',
      content: (
        <div class="split">
          <section aria-labelledby="timeline">
            <h2 id="timeline">Timeline</h2>
            <EventList events={events} />
            <More href={found.length > pageSize ? `${personPath(id)}&before=${events.at(-1)?.id ?? 0}` : undefined} label="Older" />
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

/** The events that name a person in any way. Each way has an index, so that no other events are read. */
function eventsOf(store: Store, { id, before, limit }: Range): PipelinesEvent[] {
  const found = ['user_id', 'anonymous_id', 'previous_id'].flatMap((column) =>
    selectEvents(store, `where ${column} = :id and id < :before order by id desc limit :limit`, { id, before, limit }),
  )
  const byId = new Map(found.map((event) => [event.id, event]))
  return [...byId.values()].sort((one, other) => other.id - one.id).slice(0, limit)
}

/** How many of the newest events are read for the attributes. */
const identifyLimit = 50

/** The attributes that accepted `identify` calls have set, the newest value of each. */
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

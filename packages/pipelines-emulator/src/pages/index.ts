import { integer, type Store } from '@mcp-toolkits/emulator'
import type { Workspace } from '@mcp-toolkits/emulator/workspace'
import { eventPage, eventsPage, latestChange } from './events.tsx'
import { personPage } from './person.tsx'

/** The events and what became of them as pages. */
export const pipelinesWorkspace = (store: Store): Workspace => ({
  sections: [{ path: '/events', label: 'Events' }],
  revision: () => String(store.rows({ last: integer }, 'select coalesce(max(id), 0) as last from events')[0]?.last ?? 0),
  latestChange: () => latestChange(store),
  pages: [eventsPage(store, '/'), eventsPage(store, '/events'), eventPage(store), personPage(store)],
})

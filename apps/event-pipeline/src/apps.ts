import type { App } from '@mcp-toolkits/server'

export const apps: readonly App[] = [
  {
    name: 'events',
    title: 'Events',
    description: 'The answer to a batch or a file of events by row, and the outbox. The person corrects, drops, or sends again.',
    shows: ['SendBatchRequests', 'SendEventsFromFile', 'GetBackfill'],
    calls: ['ListWaitingEvents', 'SendWaitingEvent', 'DropWaitingEvent'],
    load: () => import('./generated/events.ts'),
  },
]

import { member } from '@mcp-toolkits/core/base'
import type { ToolResource } from '@mcp-toolkits/server'

export { skills } from './generated/skills.ts'

export const resources: readonly ToolResource[] = [
  {
    name: 'waiting-event',
    title: 'Waiting event',
    description:
      'A request that is stored and not delivered yet, by its id in the outbox entries of a result: its state, last error and body.',
    uriTemplate: 'outbox://event/{id}',
    tool: 'ListWaitingEvents',
    findIn: ({ outbox }) => [member(outbox, 'entries')].flat().map((id) => ({ id, name: undefined })),
  },
]

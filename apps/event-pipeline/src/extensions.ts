import type { Check, Extension, Settings } from '@mcp-toolkits/server'
import { apiKey, hasOutbox } from './upstream.ts'

/** A person enters a key, and `doctor` asks Customer.io about it. */
export const apiKeys: Extension = {
  key: { variable: apiKey.variable, check: async (...given) => (await import('./vendor-key.ts')).checkVendorKey(...given) },
}

/** Events that could not be delivered yet: a server sends them when it starts, and `outbox` shows them. */
export const outbox: Extension = {
  hasPendingWork: hasOutbox,
  checks: strandedEvents,
  commands: {
    outbox: {
      usage: 'outbox list | retry [ID] | drop ID | adopt [KEY] [--store URL]',
      description: 'list, send or delete events that are not delivered yet',
      example: 'outbox list',
      options: ['json', 'store'],
      run: async (settings, operands, { json, ...options }) => {
        if (settings.readOnly && operands[0] !== 'list') return { code: 1, text: 'With --read-only the outbox can only be listed.' }
        const { openConnection } = await import('./connect.ts')
        const { outboxCommand } = await import('./outbox/command.ts')
        const connection = await openConnection(settings, options)
        try {
          return await outboxCommand(connection.context, operands, json)
        } finally {
          await connection.close()
        }
      },
    },
  },
}

/** Finds events in the data directory that were stored under another key than the one in use. */
async function strandedEvents(settings: Settings): Promise<readonly Check[]> {
  if (!hasOutbox(settings)) return []
  const [{ openConnection }, { strandedText }] = await Promise.all([import('./connect.ts'), import('./outbox/adoption.ts')])
  const { context, close } = await openConnection(settings)
  try {
    const text = await strandedText(context.store, context.destination)
    return text === undefined ? [] : [{ name: 'Left behind', state: 'warning', text }]
  } finally {
    await close()
  }
}

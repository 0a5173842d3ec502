import { type Check, type Extension, list, type Settings, text } from '@mcp-toolkits/server'
import { apiKey, apiUrlOf, hasOutbox, privateUrlsVariable } from './upstream.ts'

/** Lets a person enter a key, and `doctor` ask Customer.io about it. */
export const apiKeys: Extension = {
  key: {
    variable: apiKey.variable,
    check: async (settings, ...given) => (await import('./pipelines/entered-key.ts')).checkEnteredKey(apiUrlOf(settings), ...given),
  },
}

/** Events that have not been delivered yet: a server sends them at startup, and the `outbox` command shows them. */
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

/** `call --input`, which sends a local file, and the hosts from which files may come. */
export const files: Extension = {
  options: {
    allowPrivateUrls: {
      name: 'allow-private-urls',
      kind: list,
      variable: privateUrlsVariable,
      library: 'allowPrivateUrls',
      isGeneral: true,
      placeholder: 'HOST,…',
      help: 'non-public hosts to read event files from',
    },
  },
  fileOption: {
    name: 'input',
    kind: text,
    placeholder: 'FILE',
    help: 'send the rows of a local file; - reads standard input',
    tools: ['SendEventsFromFile'],
    usage: ['call SendEventsFromFile --toolsets backfill --input FILE', 'send the rows of a local file'],
    toolHelp: 'Send the rows of a local file instead of --source-url, and wait until they are sent. "-" reads standard input.',
    replaces: ['source_url', 'text'],
    load: async () => (await import('./local-input.ts')).openInput,
  },
  callKinds: { SendEventsFromFile: 'large' },
  longCalls: ['SendEventsFromFile'],
  backgroundCalls: ['SendEventsFromFile'],
}

/** Finds events in the data directory that are stored under a different key. */
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

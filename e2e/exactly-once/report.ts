// The table of docs/exactly-once.md.
import { creatingServers, type Create, type Recognition } from './creates.ts'

const explanations: Readonly<Record<Recognition, string>> = {
  'client id': 'an id that we choose, which Linear accepts and refuses the second time',
  'look and client id': 'a lookup before the create, and an id that we choose',
  'pre-generated id': 'an id that Drive issued beforehand, and refuses the second time',
  messageId: 'the `messageId`, which is in the outbox before anything is sent',
  'one for each URL': 'the URL: an issue has one attachment for each, and gets no second one',
  'look before and after': 'a lookup before, and after an answer that was lost',
}

/** Table of the tools that create something, and of the way a repeat finds it. */
export function createTable(): string {
  const rows = creatingServers.flatMap(({ server, creates }) =>
    creates.map((create) => `| ${server.name} | ${nameOf(create)} | ${create.things} | ${explanations[create.recognizedBy]} |`),
  )
  return ['| Server | Call | Creates | A repeat finds it by |', '| --- | --- | --- | --- |', ...rows].join('\n')
}

function nameOf({ tool, variant }: Create): string {
  return `\`${tool}\`${variant === undefined ? '' : ` ${variant}`}`
}

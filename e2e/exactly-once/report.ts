// The list in docs/exactly-once.md.
import { creatingServers, type Create, type Recognition } from './creates.ts'

const explanations: Readonly<Record<Recognition, string>> = {
  'client id': 'an id that we choose, which Linear refuses the second time',
  'look and client id': 'a lookup before the create, and an id that we choose',
  'pre-generated id': 'an id that Drive issued in advance and refuses the second time',
  messageId: 'the `messageId`, stored in the outbox before anything is sent',
  row: 'a `messageId` made from each row, which is stored before anything is sent',
  'one for each URL': 'the URL, because an issue keeps only one attachment per URL',
  'session and revisions': "an upload session that completes once, and the file's revisions",
  mark: 'a property that only this app can see, looked up before the create',
  'one for each grantee': 'the grantee, because an item has only one permission for each',
  'look before and after': 'a lookup before the request, and another after a lost answer',
}

/** The tools that create something, grouped by the way in which a repeated call finds it. */
export function createList(): string {
  const all = creatingServers.flatMap(({ creates }) => creates)
  return [...Map.groupBy(all, ({ recognizedBy }) => recognizedBy)]
    .map(([recognition, creates]) => `- **${explanations[recognition]}**: ${creates.map(nameOf).join(', ')}`)
    .join('\n')
}

function nameOf({ tool, variant }: Create): string {
  return `\`${tool}\`${variant === undefined ? '' : ` ${variant}`}`
}

import { table } from '../tables.ts'
import type { Size } from './tokens.ts'

export interface AgentResults {
  readonly mistakes: readonly Readonly<
    Record<'well' | 'hint' | 'dead end' | 'misled' | 'silent' | 'crash' | 'calls', number> & { server: string }
  >[]
  readonly round_trips: readonly { readonly server: string; readonly tried: number; readonly accepted: number }[]
  readonly tokens: { readonly lists: readonly Size[]; readonly replies: readonly Size[]; readonly jobs: readonly Size[] }
  readonly discoverability: { readonly wishes: number; readonly first: number; readonly good: number }
}

export function report({ mistakes, round_trips: trips, tokens: { lists, replies, jobs }, discoverability }: AgentResults): string {
  const { wishes, first, good } = discoverability
  const sizes = [
    ...lists.map((size) => ({ ...size, name: `\`tools/list\` of ${size.name}` })),
    ...replies,
    ...jobs.map((size) => ({ ...size, name: `job: ${size.name}` })),
  ]
  const accepted = trips.filter(({ tried }) => tried > 0).map((trip) => `${trip.accepted} of ${trip.tried} of ${trip.server}`)
  const endings = ['calls', 'well', 'hint', 'dead end', 'misled', 'silent', 'crash'] as const
  return [
    '## How mistaken calls end',
    table(
      ['', ...endings],
      mistakes.map((row) => [row.server, ...endings.map((ending) => row[ending])]),
    ),
    '## What agents read',
    table(
      ['', 'calls', 'bytes', 'tokens'],
      sizes.map(({ name, calls, bytes, tokens }) => [name, calls, bytes, tokens]),
    ),
    '## Printed values, and the search for tools',
    `Printed values that were accepted: ${accepted.join(', ')}. The right tool is first for ${first} of ${wishes} requests, and among the first three for ${good}.`,
  ].join('\n\n')
}

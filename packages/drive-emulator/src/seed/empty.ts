import type { Store } from '@mcp-toolkits/store'
import { folderType, insertItem } from '../items.ts'
import { domain, insertPerson, rootId, viewer, viewerId } from '../people.ts'
import { refreshStanding } from '../standing.ts'

/** The addresses of the people who have accounts. */
export const people = {
  ada: `ada.okafor@${domain}`,
  otherAda: `ada.okonkwo@${domain}`,
  mikael: `mikael.lindstrom@${domain}`,
  priya: `priya.nair@${domain}`,
  tomas: `tomas.herrera@${domain}`,
  grace: 'grace.kim@studio-kim.example',
  engineers: `team-engineering@${domain}`,
} as const

/** Plants an account that has nothing yet, among people whom it can share with. */
export function seedEmpty(store: Store, now: number): void {
  const named = [
    { name: viewer.displayName, email: viewer.email, aliases: [`robin@${domain}`] },
    { name: 'Ada Okafor', email: people.ada, aliases: [`ada@${domain}`] },
    { name: 'Ada Okonkwo', email: people.otherAda },
    { name: 'Mikael Lindström', email: people.mikael },
    { name: 'Priya Nair', email: people.priya },
    { name: 'Tomás Herrera', email: people.tomas },
    { name: 'Grace Kim', email: people.grace },
  ]
  for (const person of named) insertPerson(store, person)
  insertPerson(store, { name: 'Engineering', email: people.engineers, kind: 'group' })
  insertItem(store, {
    id: rootId,
    name: 'My Drive',
    mimeType: folderType,
    createdTime: new Date(now - 900 * 86_400_000).toISOString(),
    ownerId: viewerId,
    viewedByMeTime: new Date(now).toISOString(),
  })
  refreshStanding(store, rootId)
}

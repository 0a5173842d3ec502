import { driveIdOf } from '../ids.ts'
import { folderType, insertItem } from '../items.ts'
import { viewer } from '../people.ts'
import { insertGrant, type Role } from '../permissions/grants.ts'
import { refreshStanding } from '../standing.ts'
import { people } from './empty.ts'
import { grantTo, type Planting } from './planting.ts'

/** A shared drive to plant. */
export interface PlantedDrive {
  readonly name: string
  readonly members: readonly (readonly [address: string, role: Role])[]
  readonly hidden?: boolean
}

/** Plants a shared drive and returns its id, which is that of its root too. */
export function plantDrive({ store, ago }: Planting, { name, members, hidden = false }: PlantedDrive): string {
  const id = driveIdOf(`drive ${name}`)
  const createdTime = ago(500)
  store.run('insert into drives (id, name, createdTime, hidden, foldersNeedOrganizer) values (:id, :name, :createdTime, :hidden, 1)', {
    id,
    name,
    createdTime,
    hidden: Number(hidden),
  })
  insertItem(store, { id, name, driveId: id, mimeType: folderType, createdTime })
  for (const [address, role] of members) insertGrant(store, grantTo(address, { fileId: id, role }))
  refreshStanding(store, id)
  return id
}

/** Two shared drives that the account is a member of, and one of which it was given a folder only. */
export function plantDrives(all: Planting): void {
  const { plant, folder } = all
  const engineering = plantDrive(all, {
    name: 'Engineering',
    members: [
      [viewer.email, 'organizer'],
      [people.mikael, 'fileOrganizer'],
      [people.tomas, 'writer'],
      [people.engineers, 'reader'],
    ],
  })
  const runbooks = folder({ name: 'Runbooks', parent: engineering, days: 300 })
  const pager = folder({ name: 'Pager', parent: runbooks, days: 290, grants: [[people.grace, 'reader']] })
  plant({ name: 'Escalation.md', parent: pager, type: 'text/markdown', days: 30, text: 'Call Tomás, then Robin.\n' })
  plant({ name: 'Escalation.md', key: 'trashed', parent: pager, type: 'text/markdown', trashed: true, days: 60, text: 'Call nobody.\n' })
  plant({
    name: 'Architecture',
    parent: engineering,
    type: 'application/vnd.google-apps.document',
    days: 25,
    text: 'Three fetches and a store.',
  })
  plant({ name: 'Report.pdf', parent: engineering, type: 'application/pdf', days: 24, content: 'pdf-engineering' })
  const design = plantDrive(all, {
    name: 'Design',
    members: [
      [people.priya, 'organizer'],
      [viewer.email, 'commenter'],
    ],
  })
  const brand = folder({ name: 'Brand', parent: design, days: 220 })
  plant({ name: 'Logo.png', parent: brand, type: 'image/png', days: 210, content: 'png-' })
  plant({ name: 'Colours.txt', parent: brand, days: 200, text: 'Blue and some orange.\n' })
  const finance = plantDrive(all, { name: 'Finance', members: [[people.ada, 'organizer']] })
  const audit = folder({ name: 'Audit 2026', parent: finance, days: 90, grants: [[viewer.email, 'reader']] })
  plant({ name: 'Ledger.csv', parent: audit, type: 'text/csv', days: 85, text: 'account,sum\ntravel,12\n' })
}

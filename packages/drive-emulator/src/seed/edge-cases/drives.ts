import { robin } from '../../people.ts'
import { type SeedBuilder, seedDrive } from '../builder.ts'
import { seedPeople } from '../empty.ts'

/** Two drives of which the account is a member, and one of which it can see a single folder. */
export function seedDrives(builder: SeedBuilder): void {
  const { addItem, addFolder } = builder
  const engineering = seedDrive(builder, {
    name: 'Engineering',
    members: [
      [robin.email, 'organizer'],
      [seedPeople.mikael, 'fileOrganizer'],
      [seedPeople.tomas, 'writer'],
      [seedPeople.engineers, 'reader'],
    ],
  })
  const runbooks = addFolder({ name: 'Runbooks', parent: engineering, days: 300 })
  const pager = addFolder({ name: 'Pager', parent: runbooks, days: 290, grants: [[seedPeople.grace, 'reader']] })
  addItem({ name: 'Escalation.md', parent: pager, type: 'text/markdown', days: 30, text: 'Call Tomás, then Robin.\n' })
  addItem({ name: 'Escalation.md', key: 'trashed', parent: pager, type: 'text/markdown', trashed: true, days: 60, text: 'Call nobody.\n' })
  addItem({
    name: 'Architecture',
    parent: engineering,
    type: 'application/vnd.google-apps.document',
    days: 25,
    text: 'Three fetches and a store.',
  })
  addItem({ name: 'Report.pdf', parent: engineering, type: 'application/pdf', days: 24, content: 'pdf-engineering' })
  const design = seedDrive(builder, {
    name: 'Design',
    members: [
      [seedPeople.priya, 'organizer'],
      [robin.email, 'commenter'],
    ],
  })
  const brand = addFolder({ name: 'Brand', parent: design, days: 220 })
  addItem({ name: 'Logo.png', parent: brand, type: 'image/png', days: 210, content: 'png-' })
  addItem({ name: 'Colours.txt', parent: brand, days: 200, text: 'Blue and some orange.\n' })
  const finance = seedDrive(builder, { name: 'Finance', members: [[seedPeople.ada, 'organizer']] })
  const audit = addFolder({ name: 'Audit 2026', parent: finance, days: 90, grants: [[robin.email, 'reader']] })
  addItem({ name: 'Ledger.csv', parent: audit, type: 'text/csv', days: 85, text: 'account,sum\ntravel,12\n' })
}

import type { Store } from '@mcp-toolkits/sqlite'
import { robin } from '../people/people.ts'
import { createSeedBuilder, type SeedBuilder, seedDrive } from './builder.ts'
import { large } from '../content/generated.ts'
import { seedPeople } from './empty.ts'

const doc = 'application/vnd.google-apps.document'

const sheet = 'application/vnd.google-apps.spreadsheet'

/** Adds a few years' worth of files, with names that are hard to tell apart or to write. */
export function seedEdgeCases(store: Store, now: number): void {
  const builder = createSeedBuilder(store, now)
  const apollo = seedProjects(builder)
  seedOddNames(builder)
  seedPictures(builder)
  seedTrash(builder, apollo)
  seedSharedWithMe(builder)
  seedDrives(builder)
}

/** A project with its files; returns its folder. */
function seedProjects({ addItem, addFolder }: SeedBuilder): string {
  const projects = addFolder({ name: 'Projects', days: 400 })
  const apollo = addFolder({
    name: 'Apollo',
    parent: projects,
    days: 200,
    grants: [
      [seedPeople.ada, 'writer'],
      [seedPeople.priya, 'commenter'],
    ],
  })
  const archive = addFolder({ name: 'Archive', parent: apollo, days: 180 })
  const year = addFolder({ name: '2025', parent: archive, days: 170 })
  const quarter = addFolder({ name: 'Q4', parent: year, days: 160 })
  addItem({
    name: 'Retrospective.md',
    parent: quarter,
    type: 'text/markdown',
    days: 150,
    text: '# Retrospective\n\nThe valve froze twice. Next time test it cold.\n',
  })
  const plan = addItem({
    name: 'Launch plan',
    parent: apollo,
    type: doc,
    days: 12,
    text: 'Launch window opens in March. Ada checks the valve, Priya the brochure.',
  })
  addItem({ name: 'Budget', parent: apollo, type: sheet, days: 11, text: 'valve 1200 brochure 300', starred: true })
  addItem({ name: 'notes.txt', parent: apollo, days: 9, text: 'Ask Tomás about the pager.\n' })
  addItem({ name: 'Notes.txt', parent: apollo, days: 8, text: 'These notes begin with a capital.\n' })
  addItem({ name: 'Launch rehearsal.mp4', parent: apollo, type: 'video/mp4', days: 7, content: `noise-${large.name}` })
  addItem({ name: 'Report.pdf', parent: apollo, key: 'first', type: 'application/pdf', days: 6, content: 'pdf-first' })
  addItem({
    name: 'Report.pdf',
    parent: apollo,
    key: 'second',
    type: 'application/pdf',
    days: 5,
    content: 'pdf-second',
    grants: [[seedPeople.grace, 'reader']],
  })
  addFolder({ name: 'apollo', parent: projects, days: 190 })
  const gemini = addFolder({ name: 'Gemini', parent: projects, days: 100 })
  addItem({ name: 'Readme.md', parent: gemini, type: 'text/markdown', days: 90, text: 'Gemini follows Apollo.\n' })
  addFolder({ name: 'Minutes', key: 'one', parent: gemini, days: 80 })
  const minutes = addFolder({ name: 'Minutes', key: 'other', parent: gemini, days: 79 })
  addItem({ name: 'Kick-off.txt', parent: minutes, days: 78, text: 'Everyone was there.\n' })
  addItem({ name: 'Latest plan', target: plan, days: 4 })
  addItem({ name: 'Apollo', target: apollo, days: 3 })
  return apollo
}

/** Names that need escaping in queries or paths. */
function seedOddNames({ addItem, addFolder }: SeedBuilder): void {
  const odd = addFolder({ name: "Robin's odds & ends", days: 60 })
  const names = [
    "It's done.txt",
    'C:\\temp\\log.txt',
    'ends with \\',
    '"quoted".txt',
    'a/b.txt',
    '🚀 Launch 🎉.md',
    '100%_sure.txt',
    ' padded ',
    'Résumé.txt',
    'Résumé.txt'.normalize('NFD'),
  ]
  for (const [index, name] of names.entries()) addItem({ name, parent: odd, days: 59 - index, text: `Number ${index}\n` })
  const plans = addFolder({ name: 'Plans', days: 50 })
  const drafts = addFolder({ name: 'Drafts', parent: plans, days: 49 })
  addItem({ name: 'idea.txt', parent: drafts, days: 48, text: 'An idea.\n' })
  const joined = addFolder({ name: 'Plans/Drafts', days: 47 })
  addItem({ name: 'sketch.txt', parent: joined, days: 46, text: 'A sketch.\n' })
  addItem({ name: 'empty.txt', days: 45, text: '' })
  addItem({ name: 'setup-tool.exe', type: 'application/x-msdownload', days: 44, text: 'MZ', abusive: true })
}

function seedPictures({ addItem, addFolder }: SeedBuilder): void {
  const photos = addFolder({ name: 'Photos', days: 300 })
  const summer = addFolder({ name: 'Summer 2026', parent: photos, days: 100 })
  addItem({ name: 'lake.png', parent: summer, type: 'image/png', days: 99, content: 'png-' })
  addItem({ name: 'dot.gif', parent: summer, type: 'image/gif', days: 98, content: 'gif-' })
  addItem({ name: 'contacts.json', parent: photos, type: 'application/json', days: 97, text: '{"contacts":[]}' })
  addItem({ name: 'prices.csv', parent: photos, type: 'text/csv', days: 96, text: 'what,price\nprint,3\n' })
}

/** Trashed items, one of them with a namesake that is not trashed. */
function seedTrash({ addItem, addFolder }: SeedBuilder, apollo: string): void {
  addItem({ name: 'notes.txt', key: 'trashed notes', parent: apollo, trashed: true, days: 20, text: 'Thrown away.\n' })
  addItem({ name: 'Old draft.txt', trashed: true, days: 40, text: 'No longer true.\n' })
  const attic = addFolder({ name: 'Attic', trashed: true, days: 70 })
  addItem({ name: 'lamp.txt', parent: attic, days: 75, text: 'A lamp.\n' })
}

/** Items of other owners. */
function seedSharedWithMe({ addItem, addFolder }: SeedBuilder): void {
  const noParent = { parent: null } as const
  addItem({
    ...noParent,
    name: 'Onboarding guide',
    type: doc,
    owner: seedPeople.ada,
    days: 33,
    text: 'Welcome aboard.',
    grants: [[robin.email, 'reader']],
  })
  const offsite = addFolder({
    ...noParent,
    name: 'Offsite',
    owner: seedPeople.priya,
    days: 32,
    grants: [
      [robin.email, 'writer'],
      [seedPeople.mikael, 'reader'],
    ],
  })
  addItem({ name: 'Agenda.txt', parent: offsite, owner: seedPeople.priya, days: 31, text: 'Nine: coffee.\n' })
  addItem({
    ...noParent,
    name: 'Travel policy.pdf',
    type: 'application/pdf',
    owner: seedPeople.tomas,
    days: 120,
    content: 'pdf-policy',
    grants: [['domain', 'reader']],
  })
  addItem({
    ...noParent,
    name: 'Old price list.csv',
    type: 'text/csv',
    owner: seedPeople.grace,
    days: 2000,
    text: 'what,price\nlogo,90\n',
    grants: [['anyone', 'reader']],
    resourceKey: '0-Xk3ResourceKeyOfGrace',
  })
}

/** Three drives: the account is a member of two, and sees a single folder of the third. */
function seedDrives(builder: SeedBuilder): void {
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

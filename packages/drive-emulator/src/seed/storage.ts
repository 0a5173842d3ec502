import type { Store } from '@mcp-toolkits/store'
import { viewer } from '../people.ts'
import { seedDrives, createSeedBuilder, type SeedBuilder } from './builder.ts'
import { seedPeople } from './empty.ts'
import { large } from './contents.ts'

const doc = 'application/vnd.google-apps.document'

const sheet = 'application/vnd.google-apps.spreadsheet'

/** Adds a few years' worth of files. */
export function seedStorage(store: Store, now: number): void {
  const all = createSeedBuilder(store, now)
  const apollo = seedProjects(all)
  seedOddNames(all)
  seedPictures(all)
  seedTrash(all, apollo)
  seedSharedWithMe(all)
  seedDrives(all)
}

/** A project with its files; returns its folder. */
function seedProjects({ addItem: plant, addFolder: folder }: SeedBuilder): string {
  const projects = folder({ name: 'Projects', days: 400 })
  const apollo = folder({
    name: 'Apollo',
    parent: projects,
    days: 200,
    grants: [
      [seedPeople.ada, 'writer'],
      [seedPeople.priya, 'commenter'],
    ],
  })
  const archive = folder({ name: 'Archive', parent: apollo, days: 180 })
  const year = folder({ name: '2025', parent: archive, days: 170 })
  const quarter = folder({ name: 'Q4', parent: year, days: 160 })
  plant({
    name: 'Retrospective.md',
    parent: quarter,
    type: 'text/markdown',
    days: 150,
    text: '# Retrospective\n\nThe valve froze twice. Next time test it cold.\n',
  })
  const plan = plant({
    name: 'Launch plan',
    parent: apollo,
    type: doc,
    days: 12,
    text: 'Launch window opens in March. Ada checks the valve, Priya the brochure.',
  })
  plant({ name: 'Budget', parent: apollo, type: sheet, days: 11, text: 'valve 1200 brochure 300', starred: true })
  plant({ name: 'notes.txt', parent: apollo, days: 9, text: 'Ask Tomás about the pager.\n' })
  plant({ name: 'Notes.txt', parent: apollo, days: 8, text: 'These notes begin with a capital.\n' })
  plant({ name: 'Launch rehearsal.mp4', parent: apollo, type: 'video/mp4', days: 7, content: `noise-${large.name}` })
  plant({ name: 'Report.pdf', parent: apollo, key: 'first', type: 'application/pdf', days: 6, content: 'pdf-first' })
  plant({
    name: 'Report.pdf',
    parent: apollo,
    key: 'second',
    type: 'application/pdf',
    days: 5,
    content: 'pdf-second',
    grants: [[seedPeople.grace, 'reader']],
  })
  folder({ name: 'apollo', parent: projects, days: 190 })
  const gemini = folder({ name: 'Gemini', parent: projects, days: 100 })
  plant({ name: 'Readme.md', parent: gemini, type: 'text/markdown', days: 90, text: 'Gemini follows Apollo.\n' })
  folder({ name: 'Minutes', key: 'one', parent: gemini, days: 80 })
  const minutes = folder({ name: 'Minutes', key: 'other', parent: gemini, days: 79 })
  plant({ name: 'Kick-off.txt', parent: minutes, days: 78, text: 'Everyone was there.\n' })
  plant({ name: 'Latest plan', target: plan, days: 4 })
  plant({ name: 'Apollo', target: apollo, days: 3 })
  return apollo
}

/** Names that need escaping in queries or paths. */
function seedOddNames({ addItem: plant, addFolder: folder }: SeedBuilder): void {
  const odd = folder({ name: "Robin's odds & ends", days: 60 })
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
  for (const [index, name] of names.entries()) plant({ name, parent: odd, days: 59 - index, text: `Number ${index}\n` })
  const plans = folder({ name: 'Plans', days: 50 })
  const drafts = folder({ name: 'Drafts', parent: plans, days: 49 })
  plant({ name: 'idea.txt', parent: drafts, days: 48, text: 'An idea.\n' })
  const joined = folder({ name: 'Plans/Drafts', days: 47 })
  plant({ name: 'sketch.txt', parent: joined, days: 46, text: 'A sketch.\n' })
  plant({ name: 'empty.txt', days: 45, text: '' })
  plant({ name: 'setup-tool.exe', type: 'application/x-msdownload', days: 44, text: 'MZ', abusive: true })
}

function seedPictures({ addItem: plant, addFolder: folder }: SeedBuilder): void {
  const photos = folder({ name: 'Photos', days: 300 })
  const summer = folder({ name: 'Summer 2026', parent: photos, days: 100 })
  plant({ name: 'lake.png', parent: summer, type: 'image/png', days: 99, content: 'png-' })
  plant({ name: 'dot.gif', parent: summer, type: 'image/gif', days: 98, content: 'gif-' })
  plant({ name: 'contacts.json', parent: photos, type: 'application/json', days: 97, text: '{"contacts":[]}' })
  plant({ name: 'prices.csv', parent: photos, type: 'text/csv', days: 96, text: 'what,price\nprint,3\n' })
}

/** Trashed items, one of them with a namesake that is not trashed. */
function seedTrash({ addItem: plant, addFolder: folder }: SeedBuilder, apollo: string): void {
  plant({ name: 'notes.txt', key: 'trashed notes', parent: apollo, trashed: true, days: 20, text: 'Thrown away.\n' })
  plant({ name: 'Old draft.txt', trashed: true, days: 40, text: 'No longer true.\n' })
  const attic = folder({ name: 'Attic', trashed: true, days: 70 })
  plant({ name: 'lamp.txt', parent: attic, days: 75, text: 'A lamp.\n' })
}

/** What others own. */
function seedSharedWithMe({ addItem: plant, addFolder: folder }: SeedBuilder): void {
  const elsewhere = { parent: null } as const
  plant({
    ...elsewhere,
    name: 'Onboarding guide',
    type: doc,
    owner: seedPeople.ada,
    days: 33,
    text: 'Welcome aboard.',
    grants: [[viewer.email, 'reader']],
  })
  const offsite = folder({
    ...elsewhere,
    name: 'Offsite',
    owner: seedPeople.priya,
    days: 32,
    grants: [
      [viewer.email, 'writer'],
      [seedPeople.mikael, 'reader'],
    ],
  })
  plant({ name: 'Agenda.txt', parent: offsite, owner: seedPeople.priya, days: 31, text: 'Nine: coffee.\n' })
  plant({
    ...elsewhere,
    name: 'Travel policy.pdf',
    type: 'application/pdf',
    owner: seedPeople.tomas,
    days: 120,
    content: 'pdf-policy',
    grants: [['domain', 'reader']],
  })
  plant({
    ...elsewhere,
    name: 'Old price list.csv',
    type: 'text/csv',
    owner: seedPeople.grace,
    days: 2000,
    text: 'what,price\nlogo,90\n',
    grants: [['anyone', 'reader']],
    resourceKey: '0-Xk3ResourceKeyOfGrace',
  })
}

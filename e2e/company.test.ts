// The story that the three emulators tell: https://github.com/mcp-toolkits/mcp-toolkits, docs/emulators/seeds.md.
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { afterAll, beforeAll, expect, test } from 'vitest'

const now = Date.parse('2026-09-16T12:00:00Z')
const dayMs = 86_400_000
const clock = () => now
const linear = linearEmulator({ seed: 'company', now: clock })
const drive = driveEmulator({ seed: 'company', now: clock })
const pipelines = pipelinesEmulator({ seed: 'company', now: clock })

/** The text of each file, by its path in the drive. */
const texts = new Map<string, string>()

beforeAll(async () => {
  const files = drive.store.files()
  const byId = new Map(files.map((file) => [file.id, file]))
  const pathOf = (id: string | null): string[] => {
    const file = byId.get(id ?? '')
    return file?.parentId ? [...pathOf(file.parentId), file.name] : []
  }
  for (const { id, mimeType } of files) {
    if (mimeType.startsWith('application/vnd.google-apps')) continue
    const url = `https://www.googleapis.com/drive/v3/files/${id}?alt=media&supportsAllDrives=true`
    const response = await drive.fetch(url, { headers: { authorization: 'Bearer drive-emulator' } })
    texts.set(pathOf(id).join('/') || id, mimeType.startsWith('text/') ? await response.text() : '')
  }
})
afterAll(() => Promise.all([linear.close(), drive.close(), pipelines.close()]))

const issues = () => linear.store.issues()
const stateNames = ['Backlog', 'Todo', 'In Progress', 'In Review', 'Done', 'Canceled', 'Duplicate', 'Triage']

/** The state of each issue, by the issue's identifier. */
async function statesOfIssues(): Promise<ReadonlyMap<string, string>> {
  const found = await Promise.all(
    stateNames.map(async (name) => {
      const query = `{ issues(first: 250, filter: { state: { name: { eq: "${name}" } } }) { nodes { identifier } } }`
      const headers = { authorization: 'lin_api_emulator', 'content-type': 'application/json' }
      const response = await linear.fetch('https://api.linear.app/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
      return [...(await response.text()).matchAll(/"identifier":"([A-Z]+-\d+)"/g)].map(([, identifier = '']) => [identifier, name] as const)
    }),
  )
  return new Map(found.flat())
}

test('every file that an issue links is in the shared drive', () => {
  const urls = linear.store.attachments().map(({ url }) => String(url))
  const prefix = 'https://files.lodestar.example/trails-launch/'
  const linked = urls.filter((url) => url.startsWith(prefix)).map((url) => decodeURI(url.slice(prefix.length)))
  expect(linked.length).toBeGreaterThan(15)
  expect(linked.filter((path) => !texts.has(path))).toEqual([])
})

test('every issue that a file mentions exists, and its state in the checklist is that of the issue', async () => {
  const states = await statesOfIssues()
  const mentioned = [...texts.values()].flatMap((text) => text.match(/\b(?:ENG|OPS|DES)-\d+\b/g) ?? [])
  expect(mentioned.length).toBeGreaterThan(50)
  expect(mentioned.filter((identifier) => !states.has(identifier))).toEqual([])
  const rows = (texts.get('Launch checklist.csv') ?? '')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  expect(rows.map(([, identifier = '', , , state]) => [identifier, state])).toEqual(
    rows.map(([, identifier = '']) => [identifier, states.get(identifier)]),
  )
  expect(rows).toHaveLength(14)
})

test('the checklist has the days of the issues', () => {
  const byIdentifier = new Map(issues().map((issue) => [issue['identifier'], issue]))
  const rows = (texts.get('Launch checklist.csv') ?? '')
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => line.split(','))
  expect(rows.map(([, identifier = '', , due]) => [identifier, due])).toEqual(
    rows.map(([, identifier = '']) => [identifier, byIdentifier.get(identifier)?.['dueDate']]),
  )
})

test('every ticket of the last five weeks was opened by its person on its day', () => {
  const opened = pipelines.store.events().filter(({ event }) => event === 'Support Ticket Opened')
  const byTicket = new Map(opened.map(({ body, user_id: id, received_at: at }) => [/"ticket":(\d+)/.exec(body)?.[1], { id, at }]))
  const tickets = linear.store.attachments().filter(({ url }) => String(url).includes('/tickets/'))
  const recent = tickets.filter(({ createdAt }) => Date.parse(String(createdAt)) > now - 35 * dayMs)
  expect(recent.length).toBe(byTicket.size)
  for (const { url, subtitle, createdAt } of recent) {
    const event = byTicket.get(String(url).split('/').at(-1))
    const name = String(subtitle).split(', ').at(-1) ?? ''
    expect([url, event?.id]).toEqual([url, idOf(name)])
    expect(Math.abs(Date.parse(event?.at ?? '') - Date.parse(String(createdAt)))).toBeLessThan(2 * dayMs)
  }
})

/** The id of a person in events: `Élise Moreau` is `elise.moreau`. */
const idOf = (name: string) => name.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase().replace(' ', '.')

test('every customer of an interview appears in the events', () => {
  const events = pipelines.store.events()
  const teams = [...texts.keys()].flatMap((path) => /Interview (?!guide)(.+)\.md$/.exec(path)?.[1] ?? [])
  expect(teams).toHaveLength(6)
  expect(teams.filter((team) => !events.some(({ type, body }) => type === 'group' && body.includes(team)))).toEqual([])
})

test('the outage of the issue is the one of the review and of the failed syncs', () => {
  const incident = issues().find(({ identifier }) => identifier === 'OPS-1')
  expect(incident?.['description']).toContain('**Started** 7 September 2026, 09:12 UTC. **Ended** 11:52 UTC')
  expect(texts.get('Reliability/Sync outage review.md')).toContain('**Day:** 7 September 2026.')
  const failed = pipelines.store.events().filter(({ event }) => event === 'Map Sync Failed')
  expect(new Set(failed.map(({ received_at: at }) => at.slice(0, 10)))).toEqual(new Set(['2026-09-07']))
})

import { readFileSync } from 'node:fs'
import path from 'node:path'
import { stringAt, stringOrNullAt } from '@mcp-toolkits/emulator'
import { temporaryFile } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type EntityRow, linearEmulator, readSeed } from '../src/index.ts'
import { entityTypes } from '../src/entities.ts'
import { idOf, slugIdFor } from '../src/ids.ts'
import { builtInSeed } from '../src/seed/built-in.ts'
import { viewerId } from '../src/seed/seed-ids.ts'
import { loadDeclarations } from '../src/vendor/declarations.ts'
import { openEmulator } from './emulator.ts'

const docs = path.join(import.meta.dirname, '../../../../docs')
const sample = path.join(docs, 'emulators/samples/linear.yaml')

function open(options: Parameters<typeof openEmulator>[0]) {
  const emulator = openEmulator(options)
  onTestFinished(() => emulator.close())
  return emulator
}

describe('the company', () => {
  const { store, now, list, at } = openEmulator({ seed: 'company' })

  it('is what a new workspace contains', async () => {
    const other = linearEmulator({ now })
    onTestFinished(() => other.close())
    expect(other.store.issues()).toEqual(store.issues())
    expect(store.issues().length).toBeGreaterThanOrEqual(60)
    expect(await at('viewer.email', '{ viewer { email } }')).toBe('robin.vance@lodestar.example')
    expect(await list('key', '{ teams { nodes { key } } }')).toEqual(expect.arrayContaining(['ENG', 'OPS', 'DES']))
  })

  it('has projects whose last update counts their issues', () => {
    const counts = store.projects().map((project) => {
      const issues = store.issues().filter((issue) => issue['projectId'] === project['id'] && issue['canceledAt'] === null)
      return [project['name'], `Done: ${issues.filter((issue) => issue['completedAt'] !== null).length} of ${issues.length} issues`]
    })
    const updates = store.projectUpdates()
    const said = store.projects().map((project) => {
      const last = updates.findLast((update) => update['projectId'] === project['id'])
      return [project['name'], /Done: \d+ of \d+ issues/.exec(stringAt(last ?? {}, 'body'))?.[0]]
    })
    expect(said).toEqual(counts)
  })

  it('has no event after the present, and none of an issue before the issue', () => {
    const present = new Date(now()).toISOString()
    const issues = new Map(store.issues().map((issue) => [issue['id'], issue]))
    const subjects = new Map([...store.projects().map((each) => [each['id'], each] as const), ...issues])
    const early = [...store.comments(), ...store.attachments()].filter((each) =>
      isBefore(each, subjects.get(each['issueId'] ?? each['projectId'] ?? '')),
    )
    expect(early.map((each) => each['body'] ?? each['title'])).toEqual([])
    const rows = [...issues.values(), ...store.comments(), ...store.projectUpdates(), ...store.notifications()]
    expect(rows.filter((row) => stringAt(row, 'createdAt') > present)).toEqual([])
    const times = ['startedAt', 'completedAt', 'canceledAt', 'updatedAt']
    const odd = [...issues.values()].filter((issue) => times.some((name) => isOdd(issue, name, present)))
    expect(odd.map((issue) => issue['identifier'])).toEqual([])
  })

  it('is blocked only by open issues, and each blocker of the launch is one', () => {
    const open = new Map(store.issues().map((issue) => [issue['id'], issue['completedAt'] === null && issue['canceledAt'] === null]))
    const blocks = store.relations().filter((relation) => relation['type'] === 'blocks')
    expect(blocks.map((relation) => open.get(relation['issueId'] ?? ''))).toEqual(blocks.map(() => true))
    const blockers = (builtInSeed('company').issues ?? []).filter(({ labels = [] }) => labels.includes('Launch blocker'))
    expect(blockers.every(({ blocks: others = [] }) => others.length > 0)).toBe(true)
    expect(blockers).toHaveLength(6)
  })

  it('links only issues that exist', () => {
    const identifiers = new Set(store.issues().map((issue) => issue['identifier']))
    const texts = [...store.issues(), ...store.comments(), ...store.projectUpdates(), ...store.projects(), ...store.initiatives()].flatMap(
      (row) => [row['description'], row['content'], row['body']].filter((text) => typeof text === 'string'),
    )
    const mentioned = texts.flatMap((text) => text.match(/\b(?:ENG|OPS|DES)-\d+\b/g) ?? [])
    expect(mentioned.filter((identifier) => !identifiers.has(identifier))).toEqual([])
    expect(mentioned.length).toBeGreaterThan(20)
    expect(texts.filter((text) => text.includes('{{'))).toEqual([])
  })

  it('has the same ids whenever it is loaded, and times that follow the clock', () => {
    const later = open({ seed: 'company', now: () => now() + 400 * 86_400_000 })
    const ids = (rows: readonly EntityRow[]) => rows.map((row) => row['id']).toSorted()
    for (const kind of ['issues', 'comments', 'attachments', 'relations', 'projects', 'notifications'] as const)
      expect(ids(later.store[kind]())).toEqual(ids(store[kind]()))
    expect(later.store.issues()[0]?.['createdAt']).not.toBe(store.issues()[0]?.['createdAt'])
  })
})

const isBefore = (row: EntityRow, issue: EntityRow | undefined) =>
  issue === undefined || stringAt(row, 'createdAt') < stringAt(issue, 'createdAt')

function isOdd(issue: EntityRow, name: string, present: string): boolean {
  const time = stringOrNullAt(issue, name)
  return time !== null && (time < stringAt(issue, 'createdAt') || time > present)
}

describe('a seed file', () => {
  it('fills a workspace', async () => {
    const { store, list, at } = open({ seed: await readSeed(sample) })
    expect(store.issues().map((issue) => issue['identifier'])).toEqual(['BRD-1', 'BRD-2'])
    expect(await at('viewer.name', '{ viewer { name } }')).toBe('Anna Berg')
    expect(
      await at(
        'issue.comments.nodes.0.children.nodes.0.user.name',
        '{ issue(id: "BRD-1") { comments(filter: { parent: { null: true } }) { nodes { children { nodes { user { name } } } } } } }',
      ),
    ).toBe('Ben Okoro')
    expect(await list('description', '{ projects { nodes { description } } }')).toEqual(['Ready on 26 September 2026.'])
    expect(store.relations()).toHaveLength(1)
  })

  const releases = `
records:
  ReleasePipeline: [{ name: Mobile, type: scheduled }]
  ReleaseStage: [{ name: Planned, type: planned, position: 0, pipelineId: { ReleasePipeline: Mobile } }]
  Release:
    - { name: First, pipelineId: { ReleasePipeline: Mobile }, stageId: { ReleaseStage: Planned }, targetDate: -10, createdAt: 3 }
    - { name: Zweite für Übersee, pipelineId: { ReleasePipeline: Mobile }, stageId: { ReleaseStage: Planned }, createdAt: 1 }
  TimeSchedule: [{ name: Nights, entries: [{ startsAt: 1, endsAt: -1, userId: { user: Anna } }] }]
`

  it('has records of any type, before the schema that defines them is loaded', async () => {
    using file = temporaryFile('seed.yaml', team + releases)
    const { at, list } = open({ seed: await readSeed(file.file) })
    const pipeline = '{ releasePipelines { nodes { slugId type releases { nodes { name targetDate creator { name } stage { name } } } } } }'
    const stage = { name: 'Planned' }
    expect(await at('releasePipelines.nodes.0', pipeline)).toEqual({
      slugId: slugIdFor(idOf('ReleasePipeline Mobile')),
      type: 'scheduled',
      releases: {
        nodes: [
          { name: 'Zweite für Übersee', targetDate: null, creator: { name: 'Anna' }, stage },
          { name: 'First', targetDate: '2026-09-26', creator: { name: 'Anna' }, stage },
        ],
      },
    })
    expect(await list('name', '{ releases(filter: { name: { containsIgnoreCaseAndAccent: "ubersee" } }) { nodes { name } } }')).toEqual([
      'Zweite für Übersee',
    ])
    expect(await at('timeSchedules.nodes.0.entries', '{ timeSchedules { nodes { entries { startsAt endsAt userId } } } }')).toEqual([
      { startsAt: '2026-09-15T12:00:00.000Z', endsAt: '2026-09-17T12:00:00.000Z', userId: viewerId },
    ])
  })

  it('has the records that docs/adding-a-tool.md adds', async () => {
    const page = readFileSync(path.join(docs, 'adding-a-tool.md'), 'utf8')
    const [, slug = '', example = ''] = /example: \{ pipeline: '(\w+)' \}[^]*```yaml\n([^]*?)```/.exec(page) ?? []
    using file = temporaryFile('seed.yaml', team + example)
    const { at, list } = open({ seed: await readSeed(file.file) })
    const releases = '{ releases(filter: { pipeline: { name: { eq: "Mobile app" } } }) { nodes { name stage { name } } } }'
    expect(await list('name', releases)).toEqual(['Winter', 'Summer'])
    expect(await at('releasePipeline.name', `{ releasePipeline(id: "${slug}") { name } }`)).toBe('Mobile app')
  })

  it.for(['company', 'edge-cases', 'empty'] as const)('(%s) gives its records only fields that Linear has', async (name) => {
    await loadDeclarations()
    const { records = {} } = builtInSeed(name)
    const common = ['key', 'createdAt', 'updatedAt', 'archivedAt']
    const unknown = Object.entries(records).flatMap(([type, list]) => {
      const fields = new Set([...common, ...Object.keys(entityTypes.get(type)?.columns ?? {})])
      return list.flatMap((record) => Object.keys(record).filter((field) => !fields.has(field)))
    })
    expect(unknown).toEqual([])
  })

  const team = 'organization: B\nviewer: Anna\nusers: [{name: Anna}]\nteams: [{key: BRD, name: Bread, members: [Anna]}]\n'
  it.for([
    [
      'a viewer that is no user',
      team.replace('viewer: Anna', 'viewer: Ben'),
      'line 2: viewer: there is no user called "Ben" in this seed.',
    ],
    [
      'a user twice',
      team.replace('{name: Anna}', '{name: Anna}, {name: Anna}'),
      'line 3: users[1].name: there is more than one user called "Anna".',
    ],
    [
      'a member that is no user',
      team.replace('[Anna]', '[Anna, Ben]'),
      'line 4: teams[0].members[1]: there is no user called "Ben" in this seed.',
    ],
    [
      'an issue of no team',
      `${team}issues:\n- {id: ENG-1, title: A, createdAt: 1}`,
      'line 6: issues[0].id: there is no team called "ENG" in this seed.',
    ],
    [
      'an unknown state',
      `${team}issues:\n- {id: BRD-1, title: A, createdAt: 1, state: Doing}`,
      'line 6: issues[0].state: the team BRD has no state called "Doing". It has Backlog, Todo, In Progress, In Review, Done, Canceled, Duplicate.',
    ],
    [
      'an unknown label',
      `${team}issues:\n- {id: BRD-1, title: A, createdAt: 1, labels: [Rye]}`,
      'line 6: issues[0].labels[0]: there is no label called "Rye" in this seed.',
    ],
    [
      'an unknown project',
      `${team}issues:\n- id: BRD-1\n  title: A\n  createdAt: 1\n  project: Rye`,
      'line 9: issues[0].project: there is no project called "Rye" in this seed.',
    ],
    [
      'a milestone without a project',
      `${team}issues:\n- {id: BRD-1, title: A, createdAt: 1, milestone: M}`,
      'line 6: issues[0].milestone: an issue with a milestone must also name the project.',
    ],
    [
      'an assignee of another team',
      `${team.replace('users: [', 'users: [{name: Ben}, ')}issues:\n- {id: BRD-1, title: A, createdAt: 1, assignee: Ben}`,
      'line 6: issues[0].assignee: Ben is not an active member of the team BRD.',
    ],
    [
      'a relation to nothing',
      `${team}issues:\n- {id: BRD-1, title: A, createdAt: 1, blocks: [BRD-2]}`,
      'line 6: issues[0].blocks[0]: there is no issue called "BRD-2" in this seed.',
    ],
    [
      'a relation to itself',
      `${team}issues:\n- {id: BRD-1, title: A, createdAt: 1, relatedTo: [BRD-1]}`,
      'line 6: issues[0].relatedTo[0]: an issue cannot have a relation to itself.',
    ],
    [
      'a comment without an author',
      `${team}issues:\n- id: BRD-1\n  title: A\n  createdAt: 1\n  comments:\n  - {by: Ben, at: 1, body: Hi}`,
      'there is no user called "Ben" in this seed.',
    ],
    [
      'a time that is none',
      `${team}issues:\n- {id: BRD-1, title: A, createdAt: soon}`,
      'line 6: issues[0].createdAt: "soon" is neither a number of days ago nor a time in ISO 8601.',
    ],
    [
      'two labels of a group',
      `${team}labels: [{name: G, isGroup: true}, {name: x, group: G}, {name: y, group: G}]\nissues:\n- {id: BRD-1, title: A, createdAt: 1, labels: [x, y]}`,
      'line 7: issues[0].labels[1]: an issue can have only one label from the group G, and this one already has x.',
    ],
    [
      'a record of an unknown type',
      `${team}records:\n  Shipment:\n  - {name: A}`,
      /line 7: records\.Shipment\[0\]: there are no records of type Shipment, but of (\w+, )*CustomView, /,
    ],
    [
      'a record that refers to nothing',
      `${team}records:\n  Release:\n  - name: A\n    pipelineId: { ReleasePipeline: iOS }`,
      'line 8: records.Release[0].pipelineId: there is no ReleasePipeline called "iOS" in this seed.',
    ],
    [
      'a reference of an unknown kind',
      `${team}records:\n  Release:\n  - name: A\n    pipelineId: { pipeline: iOS }`,
      'line 8: records.Release[0].pipelineId: this is no reference, such as { user: Ada }. Kinds are ',
    ],
    ['a wrong identifier', `${team}issues:\n- {id: '1', title: A, createdAt: 1}`, 'line 6: issues[0].id: Invalid string'],
    [
      'an unknown status',
      `${team}projects:\n- {name: P, teams: [BRD], status: Started}`,
      'line 6: projects[0].status: there is no status called "Started". The statuses are Backlog',
    ],
  ] as const)('with %s says where and what', async ([, text, message]) => {
    using file = temporaryFile('seed.yaml', text)
    await expect(readSeed(file.file)).rejects.toThrow(message)
  })
})

describe('a database that has data', () => {
  it('keeps it, and says that the seed was not used', async () => {
    using seed = temporaryFile('seed.yaml', '')
    const file = path.join(seed.directory, 'linear.db')
    const first = open({ file, seed: 'empty' })
    first.addIssues(1)
    expect(await first.seedNotice()).toBeUndefined()
    await first.close()
    const second = open({ file, seed: 'company' })
    expect(second.store.issues()).toHaveLength(1)
    expect(await second.seedNotice()).toBe(
      `The seed company was not used: it fills only a new database, and ${file} already has data, which is unchanged. To use the seed, choose another data directory, or move that file away.`,
    )
    await second.close()
    const third = linearEmulator({ file })
    expect(third.store.issues()).toHaveLength(1)
    expect(await third.seedNotice()).toBeUndefined()
    await third.close()
  })
})

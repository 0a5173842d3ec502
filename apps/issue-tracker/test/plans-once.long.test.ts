import { expect, test } from 'vitest'
import { someText } from './matching.ts'
import { initiativeNamed, projectNamed } from './project-calls.ts'
import { stormClock } from './storm.ts'
import { workspace, type Workspace } from './workspace.ts'

const seed = process.env['STORM_SEED'] ?? '20261121'
const limits = { requests: 1e6, points: 1e9 }
const body = { errors: [{ message: 'Rate limit exceeded', extensions: { code: 'RATELIMITED', type: 'ratelimited' } }] }
const numbers = Array.from({ length: 120 }, (_, index) => index)

const creates = [
  {
    tool: 'CreateProject',
    args: (name: string) => ({ name, team: 'ENG', lead: 'Ada Okafor', state: 'started' }),
    createdNames: ({ emulator }: Workspace) => emulator.store.projects().map(({ name }) => String(name)),
  },
  {
    tool: 'CreateProjectUpdate',
    args: (said: string) => ({ project_id: 'Apollo', body: said }),
    createdNames: ({ emulator }: Workspace) => emulator.store.projectUpdates().map((one) => String(one['body'])),
  },
  {
    tool: 'CreateInitiative',
    args: (name: string) => ({ name, status: 'started' }),
    createdNames: ({ emulator }: Workspace) => emulator.store.initiatives().map(({ name }) => String(name)),
  },
] as const

test.for(creates)(
  `$tool: ${numbers.length} calls over a bad connection create as many items (STORM_SEED=${seed})`,
  async ({ tool, args, createdNames }) => {
    await using server = await workspace({ emulated: { limits }, clock: stormClock })
    badLine(server)
    const waiting = numbers.map((n) => `Storm ${n}`)
    const notices: unknown[] = []
    const work = async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) notices.push(await created(server, tool, args(one)))
    }
    await Promise.all(Array.from({ length: 24 }, work))
    server.emulator.faults.clear()
    const names = createdNames(server).filter((name) => name.startsWith('Storm '))
    expect(names.toSorted()).toEqual(numbers.map((n) => `Storm ${n}`).toSorted())
    expect(notices.some((notice) => String(notice).includes('earlier attempt'))).toBe(true)
  },
)

/** Makes requests fail often, before or after they are carried out. */
function badLine({ emulator }: Workspace): void {
  emulator.faults.add({
    action: {
      kind: 'chaos',
      seed,
      rate: 0.35,
      kinds: [
        { kind: 'status', status: 500 },
        { kind: 'status', status: 400, body, retry_after: 0.01 },
        { kind: 'drop_before' },
        { kind: 'drop_after' },
        { kind: 'status_after_commit', status: 500 },
      ],
    },
  })
}

/** The notices of a call, which is retried while the connection is bad, as a caller would. */
async function created(server: Workspace, tool: string, args: Record<string, unknown>): Promise<unknown> {
  for (;;) {
    const { isError, structuredContent, content } = await server.result(`IssueTracker.${tool}`, args)
    if (isError !== true) return String(Object.assign({ notices: [] }, structuredContent).notices)
    expect(JSON.stringify(content)).toContain('\\"retryable\\":true')
  }
}

test('changes over a bad connection end as they would over a good one', async () => {
  await using server = await workspace({ emulated: { limits }, clock: stormClock })
  const before = server.emulator.store.projectLinks().length
  badLine(server)
  const { id } = projectNamed(server, 'Apollo')
  const { id: initiative } = initiativeNamed(server, 'Brand refresh')
  await server.call('IssueTracker.UpdateProject', { project_id: id, teams_to_add: ['OPS'], teams_to_remove: ['ENG', 'DES'] })
  await server.call('IssueTracker.UpdateInitiative', { initiative_id: initiative, name: 'Brand' })
  await server.call('IssueTracker.AddProjectToInitiative', { initiative, project: id })
  await server.call('IssueTracker.AddProjectToInitiative', { initiative: 'Brand', project: 'Apollo' })
  await server.call('IssueTracker.ArchiveProject', { project: id })
  await server.call('IssueTracker.ArchiveInitiative', { initiative })
  expect(server.emulator.store.teamsOf(String(id))).toHaveLength(1)
  expect(server.emulator.store.projectLinks().length - before).toBe(1)
  expect([projectNamed(server, 'Apollo'), initiativeNamed(server, 'Brand')]).toMatchObject([
    { archivedAt: someText },
    { archivedAt: someText },
  ])
})

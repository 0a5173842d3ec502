// Bytes that agents read: lists, typical replies and whole jobs. Four bytes count as a token, in text or structured content, whichever is
// larger.
import path from 'node:path'
import * as z from 'zod'
import { Args, type Arguments, type Call, parseLines, serverNames, type ServerName } from './cases.ts'
import { openWorld } from './worlds.ts'

const call = (tool: string, args: Arguments = {}): Call => ({ tool, args })
const event = (index: number) => ({ type: 'track', userId: `u${index}`, event: 'Bought', properties: { price: index } })
const badEvent = (index: number) => ({ type: 'track', userId: `u${index}` })
const batch = (count: number, toEvent: (index: number) => unknown, more: Arguments = {}) =>
  call('SendBatchRequests', {
    mode: 'execute',
    request_body: JSON.stringify({ batch: Array.from({ length: count }, (_, index) => toEvent(index)) }),
    ...more,
  })
const strict = { enable_strict_mode: 'True' }

interface Measured {
  readonly server: ServerName
  readonly name: string
  readonly calls: readonly Call[]
  /** Number of items added beforehand. */
  readonly filled?: number
  /** Calls made beforehand and not counted. */
  readonly prepared?: readonly Call[]
}

const tracker = { server: 'issue-tracker' } as const
const files = { server: 'file-storage' } as const
const events = { server: 'event-pipeline' } as const

/** The replies with a ceiling, in bytes. */
export const replyCeilings = {
  'SearchFiles 20': 4_800,
  'a batch of 500 good events': 2_400,
  'a batch of 500 bad events': 24_000,
  'a strict batch of 500 bad events': 24_000,
} as const

/** Projects with everything that a row can have, in addition to the seeded ones. */
const projects = Array.from({ length: 20 }, (_, index) =>
  call('CreateProject', {
    name: `Customer portal, part ${index + 1}`,
    team: 'ENG',
    lead: 'Mikael Lindström',
    state: 'started',
    start_date: '2026-10-01',
    target_date: '2027-03-31',
  }),
)

const replies: readonly Measured[] = [
  { ...tracker, name: 'ListIssues 50', calls: [call('ListIssues', { limit: 50 })] },
  { ...tracker, name: 'ListProjects 20', prepared: projects, calls: [call('ListProjects', { limit: 20 })] },
  { ...tracker, name: 'ListWorkflowStates', calls: [call('ListWorkflowStates')] },
  { ...tracker, name: 'GetIssue', calls: [call('GetIssue', { issue_id: 'ENG-1' })] },
  { ...tracker, name: 'GetProject', calls: [call('GetProject', { value: 'Apollo', lookup_by: 'name' })] },
  { ...tracker, name: 'GetNotifications 20', calls: [call('GetNotifications')] },
  { ...files, name: 'SearchFiles 20', filled: 500, calls: [call('SearchFiles', { query: 'folder', limit: 20 })] },
  { ...files, name: 'GetFileTreeStructure', calls: [call('GetFileTreeStructure')] },
  { ...events, name: 'a batch of 500 good events', calls: [batch(500, event)] },
  { ...events, name: 'a batch of 500 bad events', calls: [batch(500, badEvent)] },
  { ...events, name: 'a strict batch of 500 bad events', calls: [batch(500, badEvent, strict)] },
]

const track = (body: unknown) =>
  call('TrackUserEvent', { mode: 'execute', enable_strict_validation: 'True', request_body: JSON.stringify(body) })

const Job = z.object({ server: z.enum(serverNames), name: z.string(), calls: z.array(z.object({ tool: z.string(), args: Args })) })

const eventJob = (name: string, ...calls: Call[]): Measured => ({ ...events, name, calls })

/** Jobs that people ask for, as an agent's calls. */
const jobs: readonly Measured[] = [
  ...parseLines(path.join(import.meta.dirname, 'jobs.jsonl')).map((line) => Job.parse(line)),
  eventJob(
    'learn the body of an event and send one',
    call('TrackUserEvent', { mode: 'get_request_schema' }),
    track({ userId: 'u1', event: 'Bought', properties: { price: 3 } }),
  ),
  eventJob(
    'send a batch with a bad item and fix it',
    batch(20, (index) => (index === 7 ? badEvent(index) : event(index)), strict),
    batch(20, event, strict),
  ),
  eventJob('import 500 events', call('SendBatchRequests', { mode: 'get_request_schema' }), batch(500, event, strict)),
]

export interface Size {
  readonly name: string
  readonly bytes: number
  readonly tokens: number
  readonly calls: number
}

const sizeOf = (name: string, bytes: number, calls: number): Size => ({ name, bytes, tokens: Math.round(bytes / 4), calls })

async function measure({ server, name, calls, filled = 0, prepared = [] }: Measured): Promise<Size> {
  await using world = await openWorld(server)
  if (filled > 0) world.fill(filled)
  for (const each of prepared) await world.call(each)
  let bytes = 0
  for (const each of calls) {
    const reply = await world.call(each)
    const isMeantToFail = name.includes('bad')
    if (reply.kind !== 'result' && !isMeantToFail) throw new Error(`${each.tool} failed in "${name}": ${JSON.stringify(reply.error)}`)
    bytes += reply.bytes
  }
  return sizeOf(name, bytes, calls.length)
}

async function measureAll(all: readonly Measured[]): Promise<Size[]> {
  const sizes: Size[] = []
  for (const each of all) sizes.push(await measure(each))
  return sizes
}
export const measureReplies = (): Promise<Size[]> => measureAll(replies)
export const measureJobs = (): Promise<Size[]> => measureAll(jobs)

/** Size of each server's list. */
export async function measureLists(): Promise<Size[]> {
  const sizes: Size[] = []
  for (const server of serverNames) {
    await using world = await openWorld(server)
    const { tools } = await world.client.listTools()
    sizes.push(sizeOf(server, Buffer.byteLength(JSON.stringify({ tools })), 1))
  }
  return sizes
}

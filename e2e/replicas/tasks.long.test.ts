import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { type Replica, startReplica } from '../../packages/testing/src/cluster/replica.ts'
import { connectPerson } from '../../packages/testing/src/company/connecting.ts'
import { openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import type { CompanyVendor } from '../../packages/testing/src/company/vendors.ts'
import { sending, storing, tracking, type Work } from '../../packages/testing/src/company/work.ts'
import { type ContentSource, openContentSource } from '../../packages/testing/src/processes/content-source.ts'
import { randomNumbers } from '../../packages/testing/src/processes/random.ts'
import { isFull, shareOf } from '../../packages/testing/src/runs.ts'
import { connectTasksAt, type TaskArguments, type TaskClient } from '../../packages/testing/src/tasks.ts'
import { killSeed } from '../exactly-once/installation.ts'
import { startDatabase } from './database.ts'

/** With LONG=full, there are 1,080 kills, which take an hour. */
const [runs, rounds, kills] = isFull ? [3, 5, 8] : [1, 1, 3]

/** Maximum time between two kills, in milliseconds. */
const lifeMs = 900

const postgres = startDatabase()

/** Work that takes seconds. */
interface LongWork {
  readonly title: string
  readonly work: Work
  readonly toolset?: string
  readonly call: (mark: string, source: ContentSource) => readonly [tool: string, args: TaskArguments]
  /** Number of tasks in a round: no more than a person may have running in one process. */
  readonly tasks: number
  /** Number of items that a task creates. */
  readonly makes: number
  /** Time that the vendor takes for each answer, in milliseconds. */
  readonly answerMs: number
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** Three requests are needed for them. */
const rows = 300
const filler = 'x'.repeat(4_000)

const works: readonly LongWork[] = [
  {
    title: 'uploads',
    work: storing,
    call: (mark, { slow }) => ['FileStorage_UploadFile', { file_name: `${mark}.bin`, source_url: slow }],
    tasks: 3,
    makes: 1,
    answerMs: 50,
  },
  {
    title: 'backfills',
    work: sending,
    toolset: 'backfill',
    call(mark) {
      const lines = numbers(rows).map((row) => `${mark} ${row},Paid,2026-01-31T12:00:00Z,${filler}`)
      const text = ['userId,event,timestamp,properties.note', ...lines].join('\n')
      return ['EventPipelineApi_SendEventsFromFile', { text, call: 'track' }]
    },
    tasks: 2,
    makes: rows,
    answerMs: 900,
  },
  {
    title: 'batches',
    work: tracking,
    toolset: 'triage',
    call(mark) {
      const issues = numbers(20).map((row) => ({ team: 'ENG', title: `${mark} ${row}`, assignee: 'none' }))
      return ['IssueTracker_BatchCreateIssues', { issues }]
    },
    tasks: 3,
    makes: 20,
    answerMs: 1_500,
  },
]

/** Servers that can be killed, clients of a person who uses them, and the items at the vendor. */
interface Place {
  readonly replicas: readonly Replica[]
  readonly vendor: CompanyVendor
  readonly connect: () => Promise<TaskClient>
  /** Connects another person; absent if there is only one. */
  readonly connectOther?: () => Promise<TaskClient>
}

type OpenPlace = (longWork: LongWork, environment: Readonly<Record<string, string>>) => Promise<Place & AsyncDisposable>

const argsOf = ({ toolset }: LongWork) => (toolset === undefined ? [] : ['--toolsets', toolset])

/** A server for one account, with its tasks in separate files. */
const openOwn: OpenPlace = async (longWork, environment) => {
  await using stack = new AsyncDisposableStack()
  const vendor = stack.use(await longWork.work.openVendor([], ''))
  const options = { app: longWork.work.app, environment: { ...vendor.account, ...environment }, args: argsOf(longWork) }
  const server = stack.use(await startReplica(options))
  const resources = stack.move()
  return { replicas: [server], vendor, connect: () => connectTasksAt(server.url), [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** A server for many people: three replicas on a database, or one process with a file. */
const openShared =
  (database: () => string | undefined): OpenPlace =>
  async (longWork, environment) => {
    const url = database()
    const store = url === undefined ? {} : { store: `${url}?schema=tasks_${randomUUID().slice(0, 8)}` }
    const company = await openCompany({ ...longWork.work, ...store, people: peopleOf(2), args: argsOf(longWork), environment })
    const { people, tokenOf } = company
    const [own, other] = people
    if (!own || !other) throw new Error('There are two people.')
    for (const person of people) await connectPerson(company, person, longWork.work.create('connected'))
    const connectAs = (person: typeof own) => connectTasksAt(company.url, { headers: { authorization: `Bearer ${tokenOf(person)}` } })
    return { ...company, connect: () => connectAs(own), connectOther: () => connectAs(other) }
  }

const places: readonly (readonly [string, OpenPlace])[] = [
  ['a server with SQLite', openOwn],
  ['three replicas with PostgreSQL', openShared(() => postgres().directUrl)],
  ['a server for many people with SQLite', openShared(() => undefined)],
]

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Maximum time, in milliseconds, for a task to end once servers are no longer killed. */
const patienceMs = 120_000

async function eventually(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + patienceMs
  while (performance.now() < deadline) {
    if (await isSo()) return true
    await sleep(250)
  }
  return false
}

async function expectUnknown(stranger: TaskClient | undefined, ids: readonly string[]): Promise<void> {
  for (const id of stranger ? ids : []) {
    await expect(stranger?.task(id).snapshot()).rejects.toMatchObject({ code: -32602 })
    await expect(stranger?.task(id).cancel()).rejects.toMatchObject({ code: -32602 })
  }
}

/** Begins tasks, kills servers while the tasks run, and waits for the tasks' results without polling the tasks. */
async function killRound(longWork: LongWork, { place, source, random, round }: Round): Promise<void> {
  const { replicas, vendor, connect, connectOther } = place
  const marks = numbers(longWork.tasks).map((task) => `round${round}task${task}x`)
  await using client = await connect()
  await using stranger = await connectOther?.()
  const ids = await Promise.all(marks.map((mark) => client.begin(...longWork.call(mark, source))))
  await expectUnknown(stranger, ids)
  for (let kill = 0; kill < kills; kill += 1) {
    await sleep(random() * lifeMs)
    const victim = replicas[Math.floor(random() * replicas.length)]
    await victim?.kill()
    await victim?.restart()
  }
  const snapshots = () => Promise.all(ids.map((id) => client.task(id).snapshot()))
  const areMade = await eventually(() => marks.every((mark) => vendor.made(mark).length >= longWork.makes))
  if (!areMade) throw new Error(`Nobody finishes: ${JSON.stringify(await snapshots())}`)
  const areCompleted = async () => (await snapshots()).every(({ status }) => status === 'completed')
  // On a busy machine, a replica that has just started may not have reached the identity provider in time.
  const unlessUnverified = (error: unknown) => {
    if (error instanceof Error && error.message.startsWith('The identity provider cannot be reached')) return false
    throw error
  }
  expect(await eventually(() => areCompleted().catch(unlessUnverified))).toBe(true)
  for (const mark of marks) {
    const made = vendor.made(mark)
    expect([made.length, new Set(made.map(({ title }) => title)).size]).toEqual([longWork.makes, longWork.makes])
    expect(new Set(made.map(({ by }) => by)).size).toBe(1)
    for (const { md5 } of made) expect([undefined, source.largeMd5]).toContain(md5)
  }
  for (const id of ids) expect(await client.task(id).result()).toHaveProperty('result.structuredContent')
  await expectUnknown(stranger, ids)
}

interface Round {
  readonly place: Place
  readonly source: ContentSource
  readonly random: () => number
  readonly round: number
}

const cases = works.flatMap((longWork) =>
  places.flatMap(([place, open]) => numbers(runs).map((run) => [longWork.title, place, { longWork, open, run }] as const)),
)

// A push runs each work once, and each place once.
test.for(shareOf(cases, 4, 0))(
  `%s that are tasks are done once by %s, however often it is killed (KILL_SEED=${killSeed})`,
  { timeout: 3_600_000 },
  async ([title, where, { longWork, open, run }]) => {
    const random = randomNumbers(killSeed + run)
    const source = await openContentSource()
    const place = await open(longWork, { FILE_STORAGE_ALLOW_PRIVATE_URLS: source.host })
    onTestFinished(async () => {
      await place[Symbol.asyncDispose]()
      await source[Symbol.asyncDispose]()
    })
    place.vendor.slowDown(longWork.answerMs)
    for (let round = 0; round < rounds; round += 1) await killRound(longWork, { place, source, random, round })
    const done = `${rounds * longWork.tasks} tasks through ${rounds * kills} kills`
    process.stdout.write(`${title}, ${where}: ${done}: none lost, doubled, unfinished or another's.\n`)
  },
)

// Measures the cost of calls on behalf of the person in a token: processor time per call with `http --issuer` and with plain `http`,
// alternately, against the same emulator; and each server's memory after 1,000 people have connected an account and used it. Run after a
// build.
import type { KnownPerson } from '../../../packages/testing/src/people/identity-provider/identity-provider.ts'
import { linearEmulator } from '../../../packages/emulators/linear/src/index.ts'
import { connectEveryone } from '../../../packages/testing/src/company/connecting.ts'
import { type Company, openCompany, peopleOf } from '../../../packages/testing/src/company/company.ts'
import { markOf, sending, storing, tracking, type Work } from '../../../packages/testing/src/company/work.ts'
import { type Call, send } from '../../../packages/testing/src/cluster/client.ts'
import { type Replica, startReplica } from '../../../packages/testing/src/cluster/replica.ts'
import { memoryOf, peakOf, processorTimeOfThreads } from '../../../packages/testing/src/processes/proc.ts'
import { type BenchOptions, failFor, publish } from '../bench.ts'
import { figuresOf, medianOf } from '../statistics.ts'
import { type CallFigures, type CrowdFigures, report } from './report.ts'

const callsEach = 600
const parallel = 4
/** Maximum additional processor time per call, in milliseconds, and maximum memory with everyone connected, in MB. */
const allowed = { extraMs: 1.5, memoryMb: 350 }

/** A server, and one call by each person who uses it. */
interface Candidate {
  readonly url: string
  readonly pid: number
  readonly calls: readonly Call[]
}

const { whoAmI } = tracking

function candidateOf(replica: Replica | undefined, url: string, calls: readonly Call[]): Candidate {
  const pid = replica?.pid()
  if (pid === undefined) throw new Error('The server does not run.')
  return { url, pid, calls }
}

const ofPeople = (company: Company, callOf: (person: KnownPerson) => Call = () => whoAmI) =>
  candidateOf(
    company.replicas[0],
    company.url,
    company.people.map((person) => ({ ...callOf(person), token: company.tokenOf(person) })),
  )

/** Makes this many calls, as each person in turn. */
async function makeCalls({ url, calls }: Candidate, count: number): Promise<void> {
  const numbers = Array.from({ length: count }, (_, index) => index).values()
  const work = async () => {
    for (const number of numbers) {
      const call = calls[number % calls.length]
      const outcome = call && (await send(url, call))
      if (outcome?.kind !== 'result') throw new Error(`A call failed: ${JSON.stringify(outcome)}`)
    }
  }
  await Promise.all(Array.from({ length: parallel }, work))
}

async function processorMsOf(candidate: Candidate): Promise<number> {
  const before = processorTimeOfThreads(candidate.pid)
  await makeCalls(candidate, callsEach)
  return (processorTimeOfThreads(candidate.pid) - before) / callsEach
}

async function measureCalls(rounds: number): Promise<CallFigures> {
  await using stack = new AsyncDisposableStack()
  const emulator = linearEmulator({ seed: 'edge-cases', limits: { requests: 1e9, points: 1e12 } })
  stack.defer(emulator.close)
  const { url } = await emulator.listen()
  const environment = { ISSUE_TRACKER_API_URL: `${url}/graphql`, ISSUE_TRACKER_API_KEY: 'lin_api_emulator' }
  const replica = stack.use(await startReplica({ app: tracking.app, environment }))
  const plain = candidateOf(replica, replica.url, [whoAmI])
  const company = stack.use(await openCompany({ ...tracking, people: peopleOf(50) }))
  await connectEveryone(company, whoAmI)
  const people = ofPeople(company)
  const pairs: { readonly plain: number; readonly people: number }[] = []
  for (let round = -2; round < rounds; round += 1) {
    const pair = { plain: await processorMsOf(plain), people: await processorMsOf(people) }
    // The first rounds do not count, because they compile code.
    if (round >= 0) pairs.push(pair)
  }
  const [plainTimes, peopleTimes] = [pairs.map((pair) => pair.plain), pairs.map((pair) => pair.people)]
  const extra = medianOf(pairs.map((pair) => pair.people - pair.plain))
  return { plain_ms: figuresOf(plainTimes, 2), people_ms: figuresOf(peopleTimes, 2), extra_ms: Math.round(100 * extra) / 100 }
}

async function measureCrowd(work: Work, crowd: number): Promise<CrowdFigures> {
  await using company = await openCompany({ ...work, people: peopleOf(crowd) })
  const candidate = ofPeople(company, (person) => (work.emailIn ? work.whoAmI : work.create(markOf(person))))
  const before = memoryOf(candidate.pid)
  await connectEveryone(company, work.whoAmI)
  await makeCalls(candidate, crowd)
  return { server: work.app, people: crowd, before_mb: before, connected_mb: memoryOf(candidate.pid), peak_mb: peakOf(candidate.pid) }
}

export async function run({ isQuick }: BenchOptions): Promise<void> {
  const calls = await measureCalls(isQuick ? 1 : 9)
  const memory: CrowdFigures[] = []
  for (const work of [tracking, storing, sending]) memory.push(await measureCrowd(work, isQuick ? 20 : 1_000))
  const results = { calls, memory }
  console.log(report(results))
  if (isQuick) return
  publish(import.meta.dirname, results, report(results))
  failFor([
    ...(calls.extra_ms > allowed.extraMs ? [`A call takes more than ${allowed.extraMs} ms besides.`] : []),
    ...memory
      .filter(({ connected_mb: connected, peak_mb: peak }) => Math.max(connected, peak ?? 0) > allowed.memoryMb)
      .map(({ server }) => `${server} takes more than ${allowed.memoryMb} MB.`),
  ])
}

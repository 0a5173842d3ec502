import { expect, test } from 'vitest'
import { isOurs } from './catalog.ts'
import { exceptions } from './exceptions.ts'
import { type PeerResults, runPeers, sections } from './run.ts'
import published from './results.json' with { type: 'json' }

/** Ids and times differ from run to run, so sizes may, too. */
const tolerance = 0.1

type Counted = Readonly<Record<'jobs' | 'starts', readonly Readonly<Record<string, unknown>>[]>>

const countsOf = ({ jobs, starts }: Counted) => ({
  jobs: jobs.map(({ job, name, calls, requests, problem }) => ({ job, name, calls, requests, fails: problem !== undefined })),
  starts: starts.map(({ name, version, tools }) => ({ name, version, tools })),
})

interface Repeated {
  readonly rows: readonly Readonly<{
    loss: string
    job: string
    name: string
    created: number
    requests: number
    first: { readonly outcome: string }
    second: { readonly outcome: string } | null
  }>[]
}

/** While no connection works, the number of retries depends on timing. */
const createdIn = ({ rows }: Repeated) =>
  rows.map(({ first, second, loss, job, name, created, requests }) => ({
    ...{ loss, job, name, created, said: [first.outcome, second?.outcome] },
    ...(loss !== 'connection lost' && { requests }),
  }))

test('requests, sizes and what repeats create are those that are published', { timeout: 1_200_000 }, async () => {
  const run: PeerResults = await runPeers({ chosen: sections, rounds: 1, eventRounds: 1, withFaults: false })
  // Downloads are measured, but not published yet.
  const results = { ...run, jobs: run.jobs.filter(({ job }) => published.jobs.some((each) => each.job === job)) }
  const plain = (rows: readonly object[]) => rows.map((row) => ({ ...row }))
  expect(countsOf({ jobs: plain(results.jobs), starts: plain(results.starts) })).toEqual(countsOf(published))
  const differing = results.jobs.filter(({ result_bytes: bytes }, index) => {
    const before = published.jobs[index]?.result_bytes
    return bytes !== undefined && before !== undefined && Math.abs(bytes - before) > tolerance * before
  })
  // A list also shows what the peers have already created.
  expect(differing).toEqual([])
  const requestsOf = (rows: readonly { readonly job: string; readonly name: string; readonly requests: number }[]) =>
    rows.filter(({ name }) => isOurs(name)).map(({ job, requests }) => ({ job, requests }))
  expect(requestsOf(results.events)).toEqual(requestsOf(published.events))
  expect(results.losses.find(({ name }) => isOurs(name))).toMatchObject({ accepted: 100, lost: 0, doubled: 0 })
  expect(createdIn(results.repeats)).toEqual(createdIn(published.repeats))
  expect(results.repeats.rows.filter(({ name, created }) => isOurs(name) && created !== 1)).toEqual([])
  const beside = published.jobs.map((row) => results.jobs.find(({ job, name }) => job === row.job && name === row.name) ?? row)
  expect(
    exceptions({ ...results, jobs: beside }).filter(({ reason, measure }) => reason === undefined && !measure.startsWith('ms')),
  ).toEqual([])
})

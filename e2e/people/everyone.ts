import type { KnownPerson } from '@mcp-toolkits/testing/people'
import { type Call, type Outcome, send } from '../../packages/testing/src/cluster/client.ts'
import type { Company } from '../../packages/testing/src/company/company.ts'
import { markOf, type Work } from '../../packages/testing/src/company/work.ts'

/** A read without a result, with times from `performance.now()`. */
export interface FailedRead {
  readonly begun: number
  readonly ended: number
  readonly reason: string
}

/** The outcomes of everyone's calls. */
export interface PeopleTally {
  /** Number of results checked. */
  readonly results: number
  /** Results that contain anything but the caller's own data. */
  readonly foreign: readonly string[]
  /** Titles of what was created, according to the answers. */
  readonly created: readonly string[]
  /** Number of attempts to read. */
  readonly reads: number
  /** The attempts to read that had no result. */
  readonly failedReads: readonly FailedRead[]
  /** Errors that a repeat cannot fix. */
  readonly failures: readonly string[]
  /** Number of attempts to create that had no result and were repeated. */
  readonly repeatedWrites: number
}

export interface PeopleLoad {
  readonly company: Company
  readonly work: Work
  readonly people: readonly KnownPerson[]
  /** Minimum duration of the calls, in milliseconds. */
  readonly ms: number
  /** Minimum number of results: calls go on until there are that many, for up to three times as long. */
  readonly fewest: number
  /** Pause between two calls by a person, in milliseconds. */
  readonly pauseMs: number
}

/** The wait before a repeat, in milliseconds. */
const repeatMs = 200

const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

/** Makes calls for everyone at the same time, and checks whose data each result contains. */
export async function callAsEveryone({ company, work, people, ms, fewest, pauseMs }: PeopleLoad): Promise<PeopleTally> {
  const started = performance.now()
  const foreign: string[] = []
  const failures: string[] = []
  const created: string[] = []
  const counts = { results: 0, reads: 0, repeatedWrites: 0 }
  const failedReads: FailedRead[] = []
  const isOver = () => {
    const lasted = performance.now() - started
    return lasted >= 3 * ms || (lasted >= ms && counts.results >= fewest)
  }

  const attempt = async (call: Call): Promise<Outcome> => {
    const outcome = await send(company.url, call)
    if (outcome.kind === 'error' && !outcome.isRetryable) failures.push(`${call.name}: ${outcome.text}`)
    return outcome
  }
  const check = (person: KnownPerson, call: Call, problem: string | undefined) => {
    counts.results += 1
    if (problem !== undefined) foreign.push(`${person.subject} got from ${call.name}: ${problem}`)
  }
  const read = async (person: KnownPerson, call: Call, problemIn: (data: unknown) => string | undefined) => {
    counts.reads += 1
    const begun = performance.now()
    const outcome = await attempt(call)
    if (outcome.kind === 'result') {
      check(person, call, problemIn(outcome.data))
      return
    }
    const reason = outcome.kind === 'lost' ? outcome.reason : outcome.code
    failedReads.push({ begun, ended: performance.now(), reason })
  }
  const create = async (person: KnownPerson, call: Call, title: string) => {
    for (;;) {
      const outcome = await attempt(call)
      if (outcome.kind === 'result') {
        created.push(title)
        check(person, call, foreignIn(outcome.data, person))
        return
      }
      if (outcome.kind === 'error' && !outcome.isRetryable) return
      counts.repeatedWrites += 1
      await sleep(repeatMs)
    }
  }
  const callAs = async (person: KnownPerson, index: number) => {
    const token = company.tokenOf(person)
    const mark = markOf(person)
    await sleep((pauseMs * index) / people.length)
    for (let number = 0; !isOver(); number += 1) {
      const begun = performance.now()
      const title = `${mark} ${number}`
      if (number % 4 === 0) await create(person, { ...work.create(title), token }, title)
      else if (number % 4 === 2 && work.readOwn) await read(person, { ...work.readOwn, token }, (data) => foreignIn(data, person))
      else await read(person, { ...work.whoAmI, token }, (data) => otherPersonIn(work, data, person))
      await sleep(Math.max(0, begun + pauseMs - performance.now()))
    }
  }
  await Promise.all(people.map(callAs))
  return { foreign, failures, created, failedReads, ...counts }
}

/** The result, if it names someone else as the caller; undefined if it names the right person. */
function otherPersonIn({ emailIn }: Work, data: unknown, { email }: KnownPerson): string | undefined {
  const text = JSON.stringify(data)
  if (emailIn) return emailIn(data) === email ? undefined : text
  return text.includes('mark-of-') ? text : undefined
}

/** The result, if it lacks this person's mark or has someone else's; undefined if all of it is this person's. */
function foreignIn(data: unknown, person: KnownPerson): string | undefined {
  const text = JSON.stringify(data)
  const marks = new Set([...text.matchAll(/mark-of-subject-\d+x/g)].map(([mark]) => mark))
  return marks.size === 1 && marks.has(markOf(person)) ? undefined : text
}

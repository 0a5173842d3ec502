import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { killSeed as seed } from '../exactly-once/installation.ts'
import { startDatabase } from '../replicas/database.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import { type Company, openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { connectEveryone } from '../../packages/testing/src/company/connecting.ts'
import { callAsEveryone, type FailedRead } from './everyone.ts'
import { type Outage, startOutages } from './outages.ts'
import type { Made } from '../../packages/testing/src/company/vendors.ts'
import { sending, storing, tracking } from '../../packages/testing/src/company/work.ts'

const people = peopleOf(isFull ? 50 : 16)
/** Duration of the calls, in milliseconds. */
const ms = isFull ? 600_000 : 7_000
const killEveryMs = isFull ? 10_000 : 3_000
const pauseMs = 1_200
const fewest = isFull ? 20_000 : 60
/**
 * Maximum percentage of reads that may fail: of all reads on an otherwise idle machine, and on any machine of those that no outage
 * explains.
 */
const most = 0.5
/** Time, in milliseconds, after an outage during which a call may still fail because of it. */
const recoveryMs = 2_000

/** The reads in progress during one of the outages, or begun right after one. */
const failedDuring = (outages: readonly Outage[], failed: readonly FailedRead[]): readonly FailedRead[] =>
  failed.filter(({ begun, ended }) => outages.some(({ from, to }) => ended >= from && begun <= to + recoveryMs))

const postgres = startDatabase()

/** Items at the vendor; queued events arrive a little later. */
async function madeBy({ vendor }: Company, count: number): Promise<readonly Made[]> {
  const deadline = performance.now() + 90_000
  while (vendor.made('mark-of-').length < count && performance.now() < deadline) await sleep(200)
  return vendor.made('mark-of-')
}

describe(`${people.length} people, three replicas that are killed every ${killEveryMs / 1_000} seconds (KILL_SEED=${seed})`, () => {
  test.each([tracking, storing, sending])(
    '$app: everyone gets their own results, and nothing is lost or made twice',
    { timeout: 3_600_000 },
    async (work) => {
      const store = `${postgres().directUrl}?schema=people_${work.app.replace('-', '_')}`
      await using company = await openCompany({ ...work, people, store })
      await connectEveryone(company, work.whoAmI)
      const outages = startOutages({ company, postgres: postgres(), ms, killEveryMs, seed })
      const tally = await callAsEveryone({ company, work, people, ms, fewest, pauseMs })
      const { kills, database, identityProvider } = await outages.end()
      const share = (100 * tally.failedReads.length) / tally.reads
      const forDatabase = failedDuring(database, tally.failedReads)
      const unverified = failedDuring(identityProvider, tally.failedReads).filter(({ reason }) => reason.includes('identity provider'))
      const forKills = failedDuring(kills, tally.failedReads).filter((each) => !forDatabase.includes(each) && !unverified.includes(each))
      const unexplained = tally.failedReads.length - forDatabase.length - unverified.length - forKills.length
      const reasons = [...Map.groupBy(tally.failedReads, ({ reason }) => reason)]
        .map(([reason, each]) => `${each.length} ${reason}`)
        .join(', ')
      process.stdout.write(
        `${work.app}: ${tally.results} results, ${tally.foreign.length} foreign; ${tally.created.length} created, ${tally.repeatedWrites} repeats; ` +
          `${tally.failedReads.length} of ${tally.reads} reads without a result (${share.toFixed(2)} %: ${reasons}), ${forDatabase.length} for the database, ${unverified.length} unverified, ${forKills.length} for ${kills.length} kills.\n`,
      )
      expect(tally.foreign).toEqual([])
      expect(tally.failures).toEqual([])
      const made = await madeBy(company, tally.created.length)
      expect(made.map(({ title }) => title).sort()).toEqual([...tally.created].sort())
      const emails = new Map(people.map(({ subject, email }) => [subject, email]))
      expect(made.filter(({ by, title }) => emails.get(/mark-of-(\S+) /.exec(title)?.[1] ?? '') !== by)).toEqual([])
      expect(tally.results).toBeGreaterThanOrEqual(fewest)
      if (isFull) expect(share).toBeLessThan(most)
      expect(unexplained).toBeLessThanOrEqual(Math.max(1, (most / 100) * tally.reads))
      // A kill costs each person at most the one call in progress.
      expect(forKills.length).toBeLessThanOrEqual(people.length * kills.length)
    },
  )
})

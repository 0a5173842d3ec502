import { describe, expect, test } from 'vitest'
import { killSeed as seed } from '../exactly-once/installation.ts'
import { startDatabase } from '../replicas/database.ts'
import { runLength } from '../run-length.ts'
import { openCompany, peopleOf } from './company.ts'
import { connectEveryone } from './connecting.ts'
import { callAsEveryone } from './everyone.ts'
import { startOutages } from './outages.ts'
import { storing, tracking } from './work.ts'

const isFull = runLength === 'full'
const people = peopleOf(50)
/** How long people call, in milliseconds. */
const ms = isFull ? 600_000 : 40_000
const pauseMs = 1_200
const fewest = isFull ? 20_000 : 300
/** How many of a hundred reads may have to be repeated, on a machine with nothing else to do. */
const most = 0.5

const postgres = startDatabase()

describe(`50 people, three replicas that are killed every ten seconds (KILL_SEED=${seed})`, () => {
  test.each([tracking, storing])(
    '$app: everyone gets their own results, and nothing is lost or made twice',
    { timeout: 3_600_000 },
    async (work) => {
      const store = `${postgres().directUrl}?schema=people_${work.app.replace('-', '_')}`
      await using company = await openCompany({ ...work, people, store })
      await connectEveryone(company, work.whoAmI)
      const outages = startOutages({ company, postgres: postgres(), ms, seed })
      const tally = await callAsEveryone({ company, work, people, ms, fewest, pauseMs })
      const kills = await outages.end()
      const failedReads = [...tally.failedReads.values()].reduce((sum, count) => sum + count, 0)
      const share = (100 * failedReads) / tally.reads
      const reasons = [...tally.failedReads].map(([reason, count]) => `${count} ${reason}`).join(', ')
      process.stdout.write(
        `${work.app}: ${tally.results} results, ${tally.foreign.length} foreign; ${tally.created.length} created, ${tally.repeatedWrites} repeats; ` +
          `${failedReads} of ${tally.reads} reads without a result (${share.toFixed(2)} %: ${reasons}); ${kills} kills.\n`,
      )
      expect(tally.foreign).toEqual([])
      expect(tally.failures).toEqual([])
      const made = company.vendor.made('mark-of-')
      expect(made.map(({ title }) => title).sort()).toEqual([...tally.created].sort())
      const emails = new Map(people.map(({ subject, email }) => [subject, email]))
      expect(made.filter(({ by, title }) => emails.get(/mark-of-(\S+) /.exec(title)?.[1] ?? '') !== by)).toEqual([])
      expect(tally.results).toBeGreaterThanOrEqual(fewest)
      // In a short run each outage weighs too much.
      if (isFull) expect(share).toBeLessThan(most)
    },
  )
})

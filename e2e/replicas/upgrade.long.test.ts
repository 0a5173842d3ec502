import { expect, test } from 'vitest'
import { migrate, openDatabase, storeMigrations } from '@mcp-toolkits/team/postgres'
import { killSeed as seed } from '../exactly-once/installation.ts'
import { isFull } from '../../packages/testing/src/runs.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { callAll, type Call } from '../../packages/testing/src/cluster/client.ts'
import { openCluster } from '../../packages/testing/src/cluster/cluster.ts'
import { startDatabase } from './database.ts'

const count = isFull ? 300 : 120

const postgres = startDatabase()

/** Migrations of a later release, which may add things, but change nothing that this release uses. */
const nextMigrations = {
  ...storeMigrations,
  scripts: [
    ...storeMigrations.scripts,
    `alter table schema.operations add column note text;
    alter table schema.expiring_records add column note text default 'none';
    create table schema.of_the_next_release (id bigint primary key)`,
  ],
}

test('replicas are restarted one by one, with a migration in between, and no caller sees an error', { timeout: 300_000 }, async () => {
  await using cluster = await openCluster({ vendor: linear, databaseUrl: postgres().directUrl, seed, args: ['--drain-wait', '1'] })
  const { replicas, url, schema } = cluster
  const upgrade = async () => {
    const database = openDatabase({ url: postgres().directUrl, schema })
    await migrate(database, nextMigrations)
    await database.close()
    // From here on, the tables are the next release's, and two thirds of the servers were started before that.
    for (const replica of replicas) {
      expect(await replica.terminate()).toBe(0)
      await replica.restart()
    }
  }
  let upgrading: Promise<void> | undefined
  const onDone = (done: number) => {
    if (done >= count / 4) upgrading ??= upgrade()
  }
  const calls = Array.from({ length: count }, (_, index): Call => {
    const args = { team: 'ENG', title: `mark${index}x`, description: 'Made while the servers are upgraded.' }
    return { name: 'IssueTracker_CreateIssue', args }
  })
  const tally = await callAll(url, calls, { parallel: 8, onDone })
  await upgrading
  expect(tally).toEqual({ failures: [], lost: 0, retryable: 0 })
  const created = (await cluster.vendor.state()).filter((line) => line.startsWith('issues ') && line.includes('while the servers'))
  expect(created).toHaveLength(count)
})

import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import { callAll } from '../../packages/testing/src/cluster/client.ts'
import { openCluster } from '../../packages/testing/src/cluster/cluster.ts'
import { until, type Rehearsal } from './drill.ts'
import { countByNumber, numberedEvents } from './events.ts'

const count = 50
const run = promisify(execFile)

/** The database is lost, and an older copy replaces it. */
export const backup: Rehearsal = {
  title: 'A backup is restored',
  async run({ postgres, replicas, step, see }) {
    await using cluster = await openCluster({ vendor: pipelines, databaseUrl: postgres.directUrl, seed: 1, replicas })
    const { faults, url, schema } = cluster
    const directory = await mkdtemp(path.join(tmpdir(), 'drill-backup-'))
    const file = path.join(directory, 'copy')
    step(`${count} events are delivered; then Customer.io is down, and ${count} more wait.`)
    await callAll(url, numberedEvents(0, count), { parallel: 10 })
    faults.setFaults(1)
    await callAll(url, numberedEvents(count, count), { parallel: 10 })
    step('pg_dump makes a copy.')
    await run('pg_dump', ['-Fc', '-n', schema, '-f', file, postgres.directUrl])
    step('Every replica is stopped, the tables are lost, and pg_restore brings back the copy.')
    for (const replica of cluster.replicas) await replica.kill()
    await run('psql', ['-q', '-c', `drop schema ${schema} cascade`, postgres.directUrl])
    await run('pg_restore', ['-d', postgres.directUrl, file])
    faults.setFaults(0)
    for (const replica of cluster.replicas) await replica.restart()
    const arrived = await until(() => countByNumber(faults.bodies).size === 2 * count)
    const counts = [...countByNumber(faults.bodies).values()]
    see(`every event that was in the copy arrived: ${counts.length} of ${2 * count}`, arrived)
    const twice = counts.filter((times) => times > 1).length
    see(`${twice} were sent again, with the ids of the first time`, twice === 0)
    const { failures } = await callAll(url, numberedEvents(2 * count, 1), { parallel: 1 })
    see('a new event is accepted', failures.length === 0)
    await rm(directory, { recursive: true, force: true })
  },
}

import { runsPostgres } from '../../../testing/src/postgres/postgres.ts'
import { describe, expect, it } from 'vitest'
import { locksContract } from '../../../server/test/storage/locks-contract.ts'
import { peopleContract } from '../people-contract.ts'
import { postgresLockProcesses, postgresMachine, postgresPeopleProcesses } from './machine.ts'
import { usePostgres } from './server.ts'

// The part of the tests on PostgreSQL that runs every day; the rest is in the long files beside this one.
describe.runIf(runsPostgres())('PostgreSQL behind PgBouncer', () => {
  const postgres = usePostgres()

  locksContract(() => postgresLockProcesses(postgres.server.pooledUrl))

  describe('people', () => {
    peopleContract(() => postgresPeopleProcesses(postgres.server.pooledUrl))
  })

  it('keeps the result of an operation, and leaves one of a dead process to the next call', async () => {
    const { start } = await postgresMachine(postgres.server.pooledUrl)
    const [first, second] = [await start(), await start()]
    const request = { account: 'ada', tool: 'CreateIssue', argumentsHash: 'hash' }
    const keyed = await first.store.claim({ ...request, key: 'key' }, 'identity')
    if (keyed.kind === 'begun') await first.store.complete(keyed.id, 'result')
    expect(await second.store.claim({ ...request, key: 'key' }, 'identity')).toEqual({ kind: 'done', result: 'result' })
    await first.store.claim(request, 'identity')
    await first.kill()
    expect(await second.store.claim(request, 'identity')).toMatchObject({ kind: 'begun', identity: 'identity', isRepeat: true })
  })
})

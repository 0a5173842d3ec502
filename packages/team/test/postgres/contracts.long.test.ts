import { upstreamLimitsContract } from '../../../core/test/upstream-limits-contract.ts'
import { describe } from 'vitest'
import { shareOf } from '../../../testing/src/runs.ts'
import { tokenStoreContract } from '../../../server/test/account/login-store-contract.ts'
import { idempotencyContract } from '../../../server/test/storage/idempotency-store-contract.ts'
import { locksContract } from '../../../server/test/storage/locks-contract.ts'
import { peopleContract } from '../people-contract.ts'
import { recordsContract } from '../../../server/test/storage/records-contract.ts'
import {
  openPostgresLimits,
  postgresLockProcesses,
  postgresMachine,
  postgresPeopleProcesses,
  postgresRecordProcesses,
  postgresTokenStores,
} from './machine.ts'
import { routes, usePostgres } from './server.ts'

const postgres = usePostgres()

describe.each(routes)('on PostgreSQL, %s', (route) => {
  const url = () => postgres.url(route)
  const contracts: readonly (readonly [name: string, contract: () => void])[] = [
    [
      'locks',
      () => {
        locksContract(() => postgresLockProcesses(url()))
      },
    ],
    [
      'the records of operations',
      () => {
        idempotencyContract(() => postgresMachine(url()))
      },
    ],
    [
      'people',
      () => {
        peopleContract(() => postgresPeopleProcesses(url()))
      },
    ],
    [
      'expiring records',
      () => {
        recordsContract(() => postgresRecordProcesses(url()))
      },
    ],
    [
      'logins',
      () => {
        tokenStoreContract(() => postgresTokenStores(url()))
      },
    ],
    [
      'limits',
      () => {
        upstreamLimitsContract(() => openPostgresLimits(url()), { numRuns: 10, manyFaults: 50 })
      },
    ],
  ]
  // `everyday.test.ts` tests locks and people behind PgBouncer, so CI's share tests them directly.
  describe.each(shareOf(contracts, 2, routes.indexOf(route)))('%s', (_, contract) => {
    contract()
  })
})

import { upstreamLimitsContract } from '../../../core/test/upstream-limits-contract.ts'
import { describe } from 'vitest'
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
  describe('the records of operations', () => {
    idempotencyContract(() => postgresMachine(postgres.url(route)))
  })
  describe('locks', () => {
    locksContract(() => postgresLockProcesses(postgres.url(route)))
  })

  describe('expiring records', () => {
    recordsContract(() => postgresRecordProcesses(postgres.url(route)))
  })

  describe('people', () => {
    peopleContract(() => postgresPeopleProcesses(postgres.url(route)))
  })

  describe('limits', () => {
    upstreamLimitsContract(() => openPostgresLimits(postgres.url(route)), { numRuns: 10, manyFaults: 50 })
  })

  describe('logins', () => {
    tokenStoreContract(() => postgresTokenStores(postgres.url(route)))
  })
})

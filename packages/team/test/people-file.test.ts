import { join } from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { describe, onTestFinished } from 'vitest'
import { openIdempotencyStore } from '../../server/src/storage/idempotency-store.ts'
import { openPeopleFile } from '../src/vault/people-file.ts'
import { newKey, peopleContract } from './people-contract.ts'
import { recordsContract } from '../../server/test/storage/records-contract.ts'
import { temporaryDirectory } from '../../sqlite/test/temporary.ts'

describe('people in a SQLite file', () => {
  peopleContract(() => {
    const directory = temporaryDirectory()
    const [file, operationsFile] = [join(directory, 'team.db'), join(directory, 'calls.db')]
    const clock = new ManualClock()
    return Promise.resolve({
      pass: () => clock.advance(1),
      async start(keys) {
        const state = await openPeopleFile({ file, keys, clock, operationsFile, boot: 'boot' })
        onTestFinished(state.close)
        const operations = await openIdempotencyStore({ file: operationsFile, clock, boot: 'boot' })
        onTestFinished(operations.close)
        return { state, operations, sealedRows: state.sealedRows }
      },
    })
  })
})

describe('expiring records in a SQLite file of people', () => {
  recordsContract(() => {
    const [file, keys] = [join(temporaryDirectory(), 'team.db'), [newKey('key')]]
    const clock = new ManualClock()
    return Promise.resolve({
      clock,
      async start() {
        const state = await openPeopleFile({ file, keys, clock, boot: 'boot' })
        onTestFinished(state.close)
        return { records: state.records, kill: state.close }
      },
    })
  })
})

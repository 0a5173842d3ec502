import { describe } from 'vitest'
import { backlogContract } from './backlog-contract.ts'
import { outboxStoreContract } from './contract.ts'
import { failingContract, waitingContract } from './failing-contract.ts'
import { keyContract } from './key-contract.ts'
import { parkingContract } from './parking-contract.ts'
import { deliveryWorkerContract } from './worker-contract.ts'
import { sqliteOutbox } from './machine.ts'

describe('an outbox in SQLite', () => {
  outboxStoreContract(sqliteOutbox)
  deliveryWorkerContract(sqliteOutbox)
  parkingContract(sqliteOutbox)
  backlogContract(sqliteOutbox)
  keyContract(sqliteOutbox)
  failingContract(sqliteOutbox)
  waitingContract(sqliteOutbox)
})

import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Conflict, ToolError } from '@mcp-toolkits/core'
import { readBody, type Body } from '../pipelines/body.ts'
import type { CallName } from '../pipelines/call.ts'
import { callPrints, canonical, hashOf } from '../pipelines/canonical.ts'
import { identify, messageIdsOf, type Added, type Identity } from '../pipelines/identity.ts'
import { partsOf, without } from '../pipelines/size.ts'
import type { Courier } from './courier.ts'
import { passing, type Entry } from './entry.ts'
import type { Destination, Ledger } from './ledger.ts'
import { personOf } from './person.ts'

/** How long a text without ids is recognised after a call that ended without an answer, in milliseconds. */
const repeatWindow = 10 * 60 * 1000

/** How long a call waits for its entries to be settled by somebody else, in milliseconds, and how often it looks. */
const patience = 25_000
const lookEvery = 50

export interface OutboxOptions {
  readonly ledger: Ledger
  readonly courier: Courier
  readonly destination: Destination
  /** Whether `messageId` and `timestamp` are added where absent. */
  readonly addIds: boolean
}

export interface Submission {
  readonly name: CallName
  readonly body: Body
  readonly strict: boolean
  readonly signal: AbortSignal
  readonly progress: (done: number, total?: number, message?: string) => void
}

/** What became of a submission. */
export interface Settlement {
  /** Parts in order: those now delivered, and those that stay open. */
  readonly entries: readonly Entry[]
  readonly added: readonly Added[]
  /** Whether all of it had been submitted before. */
  readonly repeated: 'delivered' | 'unanswered' | undefined
  /** Ids of an equal body that was sent a short while ago under other ids. */
  readonly equalBefore: readonly string[]
  /** How many calls of a batch had been delivered before and were left out. */
  readonly leftOut: number
  /** The error that ended the attempt, for entries that are still open. */
  readonly obstacle: ToolError | undefined
}

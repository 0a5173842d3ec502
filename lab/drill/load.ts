import { setTimeout as sleep } from 'node:timers/promises'
import { callAll, type Call } from '../../packages/testing/src/cluster/client.ts'

/** Observations of clients during a rehearsal. */
export interface LoadReport {
  readonly calls: number
  readonly failures: readonly string[]
  /** Number of responses that never arrived. */
  readonly lost: number
  /** Number of errors saying that the call may be retried. */
  readonly retryable: number
}

const clients = 4

/**
 * Pause between two of a client's calls, in milliseconds. All clients together stay far below the 2,500 requests that Linear accepts in an
 * hour.
 */
const pauseMs = 150

/** Lets clients of issue-tracker create issues whose titles begin with `title`, until the returned function is called. */
export function startLoad(url: string, title: string): () => Promise<LoadReport> {
  let isOver = false
  const totals = { calls: 0, lost: 0, retryable: 0 }
  const failures: string[] = []
  const work = async () => {
    while (!isOver) {
      const key = `${title}n${(totals.calls += 1)}x`
      // The key makes each call leave a record in the database.
      const call: Call = { name: 'IssueTracker_CreateIssue', args: { team: 'ENG', title: key }, key }
      const tally = await callAll(url, [call], { parallel: 1 })
      failures.push(...tally.failures)
      totals.lost += tally.lost
      totals.retryable += tally.retryable
      await sleep(pauseMs)
    }
  }
  const running = Promise.all(Array.from({ length: clients }, work))
  return async () => {
    isOver = true
    await running
    return { ...totals, failures }
  }
}

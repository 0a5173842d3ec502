import { describeMachine, type Machine } from '../machine.ts'
import { table } from '../tables.ts'

export interface ReplicaRow {
  readonly server: string
  readonly replicas: number
  readonly store: string
  /** The vendor's delay in milliseconds. */
  readonly delay: number
  readonly calls_per_s: number
  readonly p50_ms: number
  readonly p99_ms: number
  readonly requests_per_call: number
  /** Peak memory of the largest replica. */
  readonly peak_mb: number | null
}

export interface ReplicaResults {
  readonly machine: Machine
  readonly postgres: string
  readonly calls: number
  readonly rows: readonly ReplicaRow[]
}

export function report({ machine, postgres, calls, rows }: ReplicaResults): string {
  const head = ['', 'replicas', 'vendor late, ms', 'calls per second', 'p50, ms', 'p99, ms', 'requests per call', 'peak of a replica, MB']
  const cells = rows.map((row) => [
    ...[
      row.server,
      `${row.replicas}, ${row.store}`,
      row.delay,
      row.calls_per_s,
      row.p50_ms,
      row.p99_ms,
      row.requests_per_call,
      row.peak_mb,
    ],
  ])
  return `${describeMachine(machine)} PostgreSQL ${postgres}, ${calls} calls in each row.\n\n${table(head, cells)}`
}

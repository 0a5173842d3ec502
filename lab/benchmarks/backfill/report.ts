import { table } from '../tables.ts'

export interface Results {
  readonly outbox_rows_per_s: number
  readonly undisturbed: readonly {
    readonly rows: number
    readonly seconds: number
    readonly rows_per_s: number
    readonly lost: number
    readonly peak_mb: number
  }[]
  readonly killed: {
    readonly rows: number
    readonly kills: number
    readonly lost: number
    readonly sent_again: number
    readonly peak_mb: number
  }
}

export function report({ outbox_rows_per_s: outbox, undisturbed, killed }: Results): string {
  const whole = undisturbed.map((each) => ['undisturbed', each.rows, each.seconds, each.rows_per_s, outbox, each.peak_mb, each.lost, 0])
  const broken = [`killed ${killed.kills} times`, killed.rows, '', '', '', killed.peak_mb, killed.lost, killed.sent_again]
  return table(
    ['run', 'rows', 'seconds', 'rows per second', 'outbox alone', 'peak MB', 'lost', 'sent again under the same id'],
    [...whole, broken].map((row) => row.map(String)),
  )
}

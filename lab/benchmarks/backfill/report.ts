import { table } from '../tables.ts'

export interface Results {
  readonly rows: number
  readonly seconds: number
  readonly rows_per_s: number
  readonly outbox_rows_per_s: number
  readonly peak_mb: number
  readonly killed: { readonly kills: number; readonly lost: number; readonly sent_again: number; readonly peak_mb: number }
}

export function report({ rows, seconds, rows_per_s: rate, outbox_rows_per_s: outbox, peak_mb: peak, killed }: Results): string {
  return table(
    ['run', 'rows', 'seconds', 'rows a second', 'outbox alone', 'peak MB', 'lost', 'sent again under the same id'],
    [
      ['undisturbed', rows, seconds, rate, outbox, peak, 0, 0],
      [`killed ${killed.kills} times`, rows, '', '', '', killed.peak_mb, killed.lost, killed.sent_again],
    ].map((row) => row.map(String)),
  )
}

import { table } from '../tables.ts'

export interface Upload {
  readonly mebibytes: number
  /** `known` or `unknown`. */
  readonly length: string
  readonly upload_seconds: number
  readonly download_seconds: number
  readonly peak_rss_mb_after_upload: number
  readonly peak_rss_mb: number
}

export function report(uploads: readonly Upload[]): string {
  const rows = uploads.map((each) => [
    ...[each.mebibytes, each.length, each.upload_seconds, each.download_seconds, each.peak_rss_mb_after_upload, each.peak_rss_mb],
  ])
  return table(['MiB', 'length', 'in, s', 'out, s', 'peak after in, MB', 'peak, MB'], rows)
}

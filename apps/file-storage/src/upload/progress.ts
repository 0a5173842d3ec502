import type { Clock } from '@mcp-toolkits/core/clock'
import type { UploadOptions } from './upload-job.ts'

/** Reports the progress of a call to its caller. */
type ReportProgress = (progress: number, total?: number, message?: string) => void

/** How often reading the source is reported, in milliseconds; clients wait for about a minute. */
const intervalMs = 1_000
/** Less than a byte, so that the number stays true, and more than nothing, because progress has to grow. */
const tick = 1 / 256

/** Reports how much is stored and, meanwhile, that the source is read. An upload that starts again is not reported before it gets further. */
export function uploadProgress(report: ReportProgress, clock: Clock): Pick<UploadOptions, 'onData' | 'onStored'> {
  let reported = 0
  let total: number | undefined
  let nextAt = 0
  return {
    onStored(bytes, totalBytes) {
      total = totalBytes
      if (bytes <= reported) return
      reported = bytes
      nextAt = clock.now() + intervalMs
      report(reported, total, 'bytes stored')
    },
    onData() {
      if (clock.now() < nextAt) return
      nextAt = clock.now() + intervalMs
      reported += tick
      report(reported, total, 'bytes stored; reading the source')
    },
  }
}

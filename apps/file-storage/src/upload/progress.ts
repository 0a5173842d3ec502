import type { UploadCall } from './upload.ts'

/** How a call tells its caller how far it is. */
type Tell = (progress: number, total?: number, message?: string) => void

/** How often is told that the source is read, in milliseconds; clients wait a minute or so. */
const betweenMs = 1_000
/** Less than a byte, so that what is told stays true, and more than nothing, since progress has to grow. */
const sign = 1 / 256

/** Tells how much is stored and, while nothing more is, that the source is read. An upload that is begun anew has less again: that is not told. */
export function uploadProgress(tell: Tell): Pick<UploadCall, 'onBytes' | 'onStored'> {
  let told = 0
  let total: number | undefined
  let nextAt = 0
  return {
    onStored(bytes, of) {
      total = of
      if (bytes <= told) return
      told = bytes
      nextAt = Date.now() + betweenMs
      tell(told, total, 'bytes stored')
    },
    onBytes() {
      if (Date.now() < nextAt) return
      nextAt = Date.now() + betweenMs
      told += sign
      tell(told, total, 'bytes stored; reading the source')
    },
  }
}

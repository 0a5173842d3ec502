import type { Writable } from 'node:stream'
import { printableLine, redact } from '@mcp-toolkits/core/errors'
import { cut, widthOf } from '../view.ts'

/** A line on a terminal about a call's progress. `clear` removes the line, so that only the result remains. */
export function progressLine(stream: Writable) {
  const erase = '\r\u001b[K'
  let isShown = false
  return {
    report: (done: number, total?: number, message = '') => {
      // Rounded down: a fractional value only tells the client that the call is still alive.
      const share = total === undefined || total === 0 ? `${Math.floor(done)}` : `${Math.floor((done / total) * 100)}%`
      // A longer line would wrap onto a second one, which nothing erases.
      stream.write(erase + cut(printableLine(redact(`${share} ${message}`)), widthOf(stream) - 1))
      isShown = true
    },
    clear: () => {
      if (isShown) stream.write(erase)
      isShown = false
    },
  }
}

import type { Archive } from './archive.ts'
import { readXml } from './xml.ts'

/** Date formats that need no definition: ECMA-376, 18.8.30. */
const builtIn = new Set([14, 15, 16, 17, 22, 27, 28, 29, 30, 31, 34, 35, 36, 50, 51, 52, 53, 54, 57, 58])

/** Styles whose numbers are dates. */
export async function dateStyles(archive: Archive, part: string | undefined): Promise<ReadonlySet<number>> {
  const formats = new Set(builtIn)
  const styles = new Set<number>()
  let count = 0
  let isCells = false
  if (part === undefined) return styles
  await readXml(archive.read(part), {
    open(name, attribute) {
      if (name === 'numFmt' && isDateFormat(attribute('formatCode') ?? '')) formats.add(Number(attribute('numFmtId')))
      else if (name === 'cellXfs') isCells = true
      else if (name === 'xf' && isCells) {
        if (formats.has(Number(attribute('numFmtId')))) styles.add(count)
        count += 1
      }
    },
    close(name) {
      if (name === 'cellXfs') isCells = false
    },
  })
  return styles
}

/** True if a format shows a day or a year outside quoted text, colours and conditions. */
function isDateFormat(code: string): boolean {
  return /[dy]/i.test(code.replaceAll(/"[^"]*"|\[[^[\]]*\]|\\./g, ''))
}

const dayMs = 86_400_000
/** Day 0. Excel treats 1900 as a leap year. */
const start = { false: Date.UTC(1899, 11, 30), true: Date.UTC(1904, 0, 1) }

/** `2026-11-29`, with the time if there is one. */
export function toDate(value: string, is1904: boolean): string {
  const time = new Date(start[`${is1904}`] + Math.round(Number(value) * dayMs))
  if (value === '' || Number.isNaN(time.getTime())) return value
  return time
    .toISOString()
    .replace(/T00:00:00\.000Z$|\.\d+Z$/, '')
    .replace('T', ' ')
}

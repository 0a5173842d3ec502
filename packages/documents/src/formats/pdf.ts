import { getDocument } from 'unpdf/pdfjs'
import { type Extracted, Refused } from '../outcome.ts'
import { TextSink } from '../text-sink.ts'

const maxPages = 5_000

/**
 * The text of a PDF, page by page, in file order. 120 pages take 2.0 s of processor time, 0.35 s of it for loading the library; pdftotext
 * takes 0.33 s, and PDFium in WebAssembly 0.85 s (2026-11-29). PDFium is four megabytes, more than twice the size of a whole server, and
 * every installation would download them.
 */
export async function pdfText(data: Uint8Array): Promise<Extracted> {
  const loading = getDocument({ data, disableFontFace: true, useSystemFonts: false, verbosity: 0 })
  const document = await loading.promise.catch((error: unknown) => {
    throw new Refused(error instanceof Error && error.name === 'PasswordException' ? 'encrypted' : 'broken')
  })
  if (document.numPages > maxPages) throw new Refused('too_large')
  const sink = new TextSink()
  const empty: number[] = []
  for (let number = 1; number <= document.numPages; number += 1) {
    const page = await document.getPage(number)
    const text = await textOf(page)
    page.cleanup()
    if (text === '') empty.push(number)
    else sink.add(`[page ${number} of ${document.numPages}]\n${text}\n\n`)
  }
  if (sink.length === 0) throw new Refused('scanned')
  return { kind: 'pdf', text: sink.toString(), pagesWithoutText: empty }
}

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof getDocument>['promise']>['getPage']>>
type Item = Extract<Awaited<ReturnType<Page['getTextContent']>>['items'][number], { readonly str: string }>

async function textOf(page: Page): Promise<string> {
  const { items } = await page.getTextContent({ includeMarkedContent: false })
  const lines: Item[][] = [[]]
  for (const item of items) {
    if (!('str' in item)) continue
    lines.at(-1)?.push(item)
    if (item.hasEOL) lines.push([])
  }
  return lines.map(textOfLine).join('\n').trim()
}

/** Presentation forms of Arabic letters. The library leaves them in drawing order, from left to right. */
const drawnForms = /[\uFB50-\uFDFF\uFE70-\uFEFC]/

function textOfLine(items: readonly Item[]): string {
  const isDrawn = items.some(({ str }) => drawnForms.test(str))
  const texts = items.map((item, index) => {
    const before = items[index - 1]
    return (before && isApart(before, item) ? ' ' : '') + (isDrawn ? asDrawn(item) : item.str)
  })
  const line = texts.join('').replaceAll(/ {2,}/g, ' ')
  return isDrawn ? reverse(line).replaceAll(leftToRight, reverse).normalize('NFKC') : line
}

/** True for text items with a gap between them, such as right-to-left table cells, where the library reports no space. */
function isApart(before: Item, item: Item): boolean {
  const [left, right] = [Number(item.transform[4]), Number(before.transform[4])]
  const gap = Math.max(left - right - before.width, right - left - item.width)
  return gap > Math.max(item.height, before.height) / 5
}

const reverse = (text: string) => Array.from(text).toReversed().join('')

/** Letters with the punctuation between them, but not around them. */
const drawnRuns = /[\uFB50-\uFDFF\uFE70-\uFEFC]+(?:[\s.,:;!?()-]+[\uFB50-\uFDFF\uFE70-\uFEFC]+)*/gu
const letterRuns = /[\u0590-\u08FF]+(?:[\s.,:;!?()-]+[\u0590-\u08FF]+)*/gu
const leftToRight = /[\p{Script=Latin}\p{Nd}]+(?:[.,:/-][\p{Script=Latin}\p{Nd}]+)*/gu

/** Text in drawing order, from left to right: undoes the library's reordering of text that it takes for a right-to-left script. */
function asDrawn({ str, dir }: Item): string {
  if (dir !== 'rtl') return str.replaceAll(letterRuns, reverse)
  return reverse(str.replaceAll(drawnRuns, reverse).replaceAll(leftToRight, reverse))
}

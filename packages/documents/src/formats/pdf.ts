import { getDocument } from 'unpdf/pdfjs'
import { type Extracted, Refused } from '../outcome.ts'
import { TextSink } from '../text-sink.ts'

/** Most pages that are read. */
const maxPages = 5_000

/** The text of a PDF, page by page, in the order in which it stands in the file. */
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

async function textOf(page: Page): Promise<string> {
  const { items } = await page.getTextContent({ includeMarkedContent: false })
  return items
    .map((item) => ('str' in item ? item.str + (item.hasEOL ? '\n' : '') : ''))
    .join('')
    .trim()
}

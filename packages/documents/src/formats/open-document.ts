import { Refused } from '../outcome.ts'
import type { TextSink } from '../text-sink.ts'
import type { Archive } from './archive.ts'
import { csvLine, heading } from './csv.ts'
import { readXml, type XmlReader } from './xml.ts'

/** Comments, deleted text, styles, and automatic fields. */
const skipped = new Set(['annotation', 'tracked-changes', 'automatic-styles', 'font-face-decls', 'forms', 'page-number'])

/** Maximum number of spaces that one element stands for. */
const maxSpaces = 1_000

/** The characters that an element in a paragraph stands for, such as spaces. */
function characters(element: string, attribute: (name: string) => string | undefined): string {
  if (element === 's') return ' '.repeat(Math.min(Number(attribute('text:c') ?? 1), maxSpaces))
  return element === 'tab' ? '\t' : element === 'line-break' ? '\n' : ''
}

/** Writes the text of a document or slides: a line for each paragraph, headings marked as in Markdown, cells separated by tabs. */
export async function readOpenText(archive: Archive, sink: TextSink): Promise<void> {
  /** Number of enclosing paragraphs: a note is inside one. */
  let paragraphs = 0
  let rows = 0
  let pages = 0
  const reader: XmlReader = {
    skipped,
    open(name, attribute) {
      if (name === 'page') sink.add(heading('slide', (pages += 1)))
      else if (name === 'notes') sink.add('Notes:\n')
      else if (name === 'table-row') rows += 1
      else if (name === 'p' || name === 'h') {
        if (name === 'h' && pages === 0) sink.add(`${'#'.repeat(Math.min(Number(attribute('outline-level') ?? 1), 6))} `)
        paragraphs += 1
      } else sink.add(characters(name, attribute))
    },
    close(name) {
      if (name === 'table-row') {
        rows -= 1
        sink.add('\n')
      } else if (name === 'table-cell') sink.add('\t')
      else if (name === 'p' || name === 'h') {
        paragraphs -= 1
        sink.add(rows > 0 || paragraphs > 0 ? ' ' : '\n')
      }
    },
    text(text) {
      if (paragraphs > 0) sink.add(text.replaceAll(/\s+/g, ' '))
    },
  }
  await readXml(archive.read('content.xml'), reader)
}

/** Maximum number of non-empty cells or rows that one element stands for. */
const maxRepeats = 100_000

/** Writes each sheet as comma-separated values: the text that its cells show. */
export async function readOpenSheets(archive: Archive, sink: TextSink): Promise<void> {
  let cells: string[] = []
  let paragraphs: string[] | undefined
  let [cellRepeats, rowRepeats] = [1, 1]
  let isParagraph = false
  const append = (text: string) => paragraphs?.push(`${paragraphs.pop() ?? ''}${text}`)
  await readXml(archive.read('content.xml'), {
    skipped,
    open(name, attribute) {
      if (name === 'table') sink.add(heading('sheet', attribute('table:name') ?? ''))
      else if (name === 'table-row') [cells, rowRepeats] = [[], Number(attribute('number-rows-repeated') ?? 1)]
      else if (name === 'table-cell' || name === 'covered-table-cell')
        [paragraphs, cellRepeats] = [[], Number(attribute('number-columns-repeated') ?? 1)]
      else if (name === 'p') {
        isParagraph = true
        paragraphs?.push('')
      } else append(characters(name, attribute))
    },
    close(name) {
      if (name === 'p') isParagraph = false
      else if (name === 'table') sink.add('\n')
      else if (name === 'table-cell' || name === 'covered-table-cell') {
        const value = paragraphs?.join('\n') ?? ''
        if (cellRepeats > maxRepeats) throw new Refused('too_large')
        for (let count = 0; count < cellRepeats; count += 1) cells.push(value)
        paragraphs = undefined
      } else if (name === 'table-row') {
        const line = csvLine(cells)
        if (line === '') return
        if (rowRepeats > maxRepeats) throw new Refused('too_large')
        for (let count = 0; count < rowRepeats; count += 1) sink.add(`${line}\n`)
      }
    },
    text(text) {
      if (isParagraph) append(text.replaceAll(/\s+/g, ' '))
    },
  })
}

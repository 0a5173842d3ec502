import type { TextSink } from '../text-sink.ts'
import type { Archive } from './archive.ts'
import { relationsOf } from './parts.ts'
import { readXml } from './xml.ts'

/** Alternative forms of the same text, tab stop definitions, field commands, and deleted or moved text. */
const skipped = new Set(['Fallback', 'tabs', 'instrText', 'delText', 'moveFrom'])

const further = ['footnotes', 'endnotes', 'comments']

/** Writes the text of a Word document: a line for each paragraph, headings marked as in Markdown, cells separated by tabs. */
export async function readWord(archive: Archive, main: string, sink: TextSink): Promise<void> {
  await readParagraphs(archive, main, sink)
  const relations = await relationsOf(archive, main)
  for (const type of further)
    for (const { part } of relations.filter((relation) => relation.type === type)) await readParagraphs(archive, part, sink)
}

async function readParagraphs(archive: Archive, part: string, sink: TextSink): Promise<void> {
  /** Number of enclosing tables. */
  let tables = 0
  let isText = false
  let isLineOpen = false
  /** Prefix of the paragraph's text. */
  let mark = ''
  const add = (text: string) => {
    sink.add(mark + text)
    mark = ''
    isLineOpen = true
  }
  const endLine = () => {
    if (isLineOpen) sink.add('\n')
    isLineOpen = false
  }
  await readXml(archive.read(part), {
    skipped,
    open(name, attribute) {
      if (name === 't') isText = true
      else if (name === 'tab') add('\t')
      else if (name === 'br' || name === 'cr') add('\n')
      else if (name === 'noBreakHyphen') add('-')
      else if (name === 'tbl') tables += 1
      // A paragraph inside a paragraph belongs to a text box.
      else if (name === 'p' && tables === 0) endLine()
      else if (name === 'pStyle') mark = headingMark(attribute('val') ?? '')
      else if (name === 'numPr' && mark === '') mark = '- '
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'tbl') tables -= 1
      else if (name === 'tc' && tables > 0) add('\t')
      else if (name === 'tr') endLine()
      else if (name === 'p') {
        mark = ''
        if (tables > 0) add(' ')
        else {
          isLineOpen = false
          sink.add('\n')
        }
      }
    },
    text(text) {
      if (isText) add(text)
    },
  })
  endLine()
}

function headingMark(style: string): string {
  const [, level] = /^(?:heading|title)\s?([1-6])?$/i.exec(style) ?? []
  return /^title$/i.test(style) ? '# ' : level === undefined ? '' : `${'#'.repeat(Number(level))} `
}

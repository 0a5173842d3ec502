import { type TextSink } from '../text-sink.ts'
import { Refused } from '../outcome.ts'
import type { Archive } from './archive.ts'
import { csvLine, heading } from './csv.ts'
import { relationsOf } from './parts.ts'
import { dateStyles, toDate } from './excel-dates.ts'
import { readXml } from './xml.ts'

/** Phonetic spellings of text in an Asian script, which would repeat the text. */
const skipped = new Set(['rPh', 'phoneticPr'])

/** Excel's columns: A to XFD. */
const maxColumns = 16_384

/** Writes each sheet of a workbook as comma-separated values. Numbers appear as stored, dates as YYYY-MM-DD. */
export async function readExcel(archive: Archive, main: string, sink: TextSink): Promise<void> {
  const relations = await relationsOf(archive, main)
  const partOf = (type: string) => relations.find((relation) => relation.type === type)?.part
  const sheets: { readonly name: string; readonly id: string | undefined }[] = []
  let is1904 = false
  await readXml(archive.read(main), {
    open(name, attribute) {
      if (name === 'sheet') sheets.push({ name: attribute('name') ?? '', id: attribute('r:id') ?? attribute('id') })
      else if (name === 'workbookPr') is1904 = /^(?:1|true)$/.test(attribute('date1904') ?? '')
    },
  })
  const strings = await sharedStrings(archive, partOf('sharedStrings'))
  const dates = await dateStyles(archive, partOf('styles'))
  const shown = (value: string, type: string | undefined, style: number) => {
    if (type === 's') return strings[Number(value)] ?? ''
    if (type === 'b') return value === '1' ? 'TRUE' : 'FALSE'
    return type === undefined || type === 'n' ? (dates.has(style) ? toDate(value, is1904) : value) : value
  }
  for (const { name, id } of sheets) {
    const sheet = relations.find((relation) => relation.id === id)
    if (sheet?.type !== 'worksheet') continue
    sink.add(heading('sheet', name))
    await readSheet(archive.read(sheet.part), sink, shown)
    sink.add('\n')
  }
}

async function sharedStrings(archive: Archive, part: string | undefined): Promise<readonly string[]> {
  const strings: string[] = []
  let current = ''
  let isText = false
  if (part === undefined) return strings
  await readXml(archive.read(part), {
    skipped,
    open(name) {
      if (name === 'si') current = ''
      else if (name === 't') isText = true
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'si') strings.push(current)
    },
    text(text) {
      if (isText) current += text
    },
  })
  return strings
}

type Show = (value: string, type: string | undefined, style: number) => string

async function readSheet(pieces: AsyncIterable<Uint8Array>, sink: TextSink, shown: Show): Promise<void> {
  let cells: string[] = []
  let column = 0
  let [value, type, style]: [string, string | undefined, number] = ['', undefined, 0]
  let isValue = false
  await readXml(pieces, {
    skipped,
    open(name, attribute) {
      if (name === 'row') [cells, column] = [[], 0]
      else if (name === 'c') {
        column = columnOf(attribute('r')) ?? column
        ;[value, type, style] = ['', attribute('t'), Number(attribute('s') ?? 0)]
      } else if (name === 'v' || name === 't') isValue = true
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false
      else if (name === 'c') {
        if (column >= maxColumns) throw new Refused('broken')
        const cell = shown(value, type, style)
        if (cell !== '') {
          while (cells.length < column) cells.push('')
          cells[column] = cell
        }
        column += 1
      } else if (name === 'row') {
        const line = csvLine(cells)
        if (line !== '') sink.add(`${line}\n`)
      }
    },
    text(text) {
      if (isValue) value += text
    },
  })
}

/** A cell's column number, from 0: 27 for AB12. */
function columnOf(reference: string | undefined): number | undefined {
  const [letters = ''] = /^[A-Z]{1,4}/.exec(reference ?? '') ?? []
  if (letters === '') return undefined
  return Array.from(letters).reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1
}

import { text } from 'node:stream/consumers'
import { type Extracted, Refused } from '../outcome.ts'
import { TextSink } from '../text-sink.ts'
import { Archive } from './archive.ts'
import { readXml } from './xml.ts'

/** The text of an office document: OOXML or OpenDocument. */
export async function officeText(bytes: Uint8Array): Promise<Extracted> {
  const archive = await Archive.open(bytes)
  const sink = new TextSink()
  const kind = archive.has('mimetype') ? await openDocument(archive, sink) : await officeOpen(archive, sink)
  return { kind, text: sink.toString() }
}

async function openDocument(archive: Archive, sink: TextSink): Promise<Extracted['kind']> {
  const type = await text(archive.read('mimetype'))
  const [, form = ''] = /^application\/vnd\.oasis\.opendocument\.(text|spreadsheet|presentation)/.exec(type.trim()) ?? []
  if (form === '') throw new Refused('unknown')
  await readXml(archive.read('META-INF/manifest.xml'), {
    open(name) {
      if (name === 'encryption-data') throw new Refused('encrypted')
    },
  })
  if (!archive.has('content.xml')) throw new Refused('broken')
  const { readOpenSheets, readOpenText } = await import('./open-document.ts')
  await (form === 'spreadsheet' ? readOpenSheets : readOpenText)(archive, sink)
  return form === 'text' ? 'document' : form === 'spreadsheet' ? 'spreadsheet' : 'slides'
}

async function officeOpen(archive: Archive, sink: TextSink): Promise<Extracted['kind']> {
  const { mainPart } = await import('./parts.ts')
  const main = await mainPart(archive)
  if (main === undefined) throw new Refused('unknown')
  if (!archive.has(main)) throw new Refused('broken')
  if (main.startsWith('word/')) {
    await (await import('./word.ts')).readWord(archive, main, sink)
    return 'document'
  }
  if (main.startsWith('xl/')) {
    await (await import('./excel.ts')).readExcel(archive, main, sink)
    return 'spreadsheet'
  }
  if (!main.startsWith('ppt/')) throw new Refused('unknown')
  await (await import('./powerpoint.ts')).readPowerPoint(archive, main, sink)
  return 'slides'
}

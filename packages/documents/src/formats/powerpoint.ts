import type { TextSink } from '../text-sink.ts'
import type { Archive } from './archive.ts'
import { heading } from './csv.ts'
import { relationsOf } from './parts.ts'
import { readXml } from './xml.ts'

/** Writes the slides' text in order, each with its notes. */
export async function readPowerPoint(archive: Archive, main: string, sink: TextSink): Promise<void> {
  const relations = await relationsOf(archive, main)
  const ids: (string | undefined)[] = []
  await readXml(archive.read(main), {
    open(name, attribute) {
      if (name === 'sldId') ids.push(attribute('r:id'))
    },
  })
  const slides = ids.flatMap((id) => relations.filter((relation) => relation.id === id))
  for (const [index, { part }] of slides.entries()) {
    sink.add(heading('slide', index + 1))
    await readShapes(archive.read(part), sink)
    const notes = (await relationsOf(archive, part)).filter(({ type }) => type === 'notesSlide')
    for (const note of notes) {
      sink.add('Notes:\n')
      await readShapes(archive.read(note.part), sink)
    }
    sink.add('\n')
  }
}

/** Alternative forms of the same text, and slide numbers. */
const skipped = new Set(['Fallback', 'fld'])

async function readShapes(pieces: AsyncIterable<Uint8Array>, sink: TextSink): Promise<void> {
  let isText = false
  let isRow = false
  let isEmpty = true
  await readXml(pieces, {
    skipped,
    open(name) {
      if (name === 't') isText = true
      else if (name === 'br') sink.add('\n')
      else if (name === 'tr') isRow = true
    },
    close(name) {
      if (name === 't') isText = false
      else if (name === 'tc') sink.add('\t')
      else if (name === 'tr') {
        isRow = false
        sink.add('\n')
      } else if (name === 'p') {
        if (!isEmpty) sink.add(isRow ? ' ' : '\n')
        isEmpty = true
      }
    },
    text(text) {
      if (!isText) return
      sink.add(text)
      isEmpty = false
    },
  })
}

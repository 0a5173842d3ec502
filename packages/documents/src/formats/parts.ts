import path from 'node:path'
import type { Archive } from './archive.ts'
import { readXml } from './xml.ts'

/** A relation from one part of an OOXML document to another. */
interface Relation {
  readonly id: string
  /** Last segment of its type: `slide`, `worksheet`. */
  readonly type: string
  /** Path in the archive. */
  readonly part: string
}

/** A part's relations, or the whole document's if `part` is absent. */
export async function relationsOf(archive: Archive, part = ''): Promise<readonly Relation[]> {
  const directory = part === '' ? '' : path.posix.dirname(part)
  const found: Relation[] = []
  await readXml(archive.read(path.posix.join(directory, '_rels', `${path.posix.basename(part)}.rels`)), {
    open(name, attribute) {
      const [id, type, target] = [attribute('Id'), attribute('Type'), attribute('Target')]
      if (name !== 'Relationship' || id === undefined || type === undefined || target === undefined) return
      if (attribute('TargetMode') === 'External') return
      const isAbsolute = target.startsWith('/')
      found.push({ id, type: path.posix.basename(type), part: isAbsolute ? target.slice(1) : path.posix.join(directory, target) })
    },
  })
  return found
}

/** The part that a document begins with. */
export async function mainPart(archive: Archive): Promise<string | undefined> {
  return (await relationsOf(archive)).find(({ type }) => type === 'officeDocument')?.part
}

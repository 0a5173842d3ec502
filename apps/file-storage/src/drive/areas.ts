import { InvalidInput, NotFound, Unavailable } from '@mcp-toolkits/core'
import type { PathScope, PathItem } from '@mcp-toolkits/core/paths'
import type { DriveClient } from './client.ts'
import { getItem, getRootId, search, searchAll, type Corpus, type Page } from './files.ts'
import { folderBehind, kindOf, type DriveItem } from './items.ts'
import { every, fitsIntoUrl, inFolder, named, notTrashed } from './query.ts'
import { RecentChanges, type SoughtChanges } from './recent.ts'
import { unknownDrive } from './references.ts'

/** An item of Drive that paths lead to. */
export type PlacedItem = DriveItem & PathItem

/** The parts of Drive in which paths begin, for one account; and what is known about them. */
export interface Areas {
  /** My Drive, or the shared drive with that id. */
  readonly at: (driveId: string | undefined, signal: AbortSignal) => PathScope<PlacedItem>
  /** The id of the top of My Drive; undefined where the scope does not allow to read it. Asked for once. */
  readonly rootId: (signal: AbortSignal) => Promise<string | undefined>
  /** Notes a change of this server, so that the next path means it although searches do not see it yet. */
  readonly changed: (item: DriveItem, into?: string) => void
}

/** Names in one search: as many as ten names can be cut into, and twice that for two paths. */
const mostNames = 120
const pageSize = 1000
/** How long it is believed that the top may not be read, in milliseconds. */
const unreadableMs = 10 * 60_000

export function areasOf(drive: DriveClient): Areas {
  const top = topOf(drive)
  const recent = new RecentChanges()
  const childIn = (folder: string, names?: readonly string[]) => (item: DriveItem, into: string | undefined) =>
    (into === folder || item.parents.includes(folder === 'root' ? (top.known() ?? folder) : folder)) && (names?.includes(item.name) ?? true)
  return {
    rootId: top.id,
    changed: (item, into) => {
      recent.note(item, into)
    },
    at(driveId, signal) {
      const corpus: Corpus = driveId === undefined ? { in: 'user' } : { in: 'drive', driveId }
      const query = (names: readonly string[]) => every(notTrashed, named(names))
      const fits = (names: readonly string[]) => names.length <= mostNames && fitsIntoUrl(query(names))
      const merged = async (found: readonly DriveItem[], isSought: SoughtChanges['isSought']) => {
        const confirm = (id: string) => unlessGone(getItem(drive, id, signal))
        return (await recent.merged(found, { isSought, confirm })).map(placed)
      }
      /** Of the top it is told that it is not there; another folder that is gone has no children. */
      const childrenOf = async <Found>(folder: string, asking: Promise<Found>) => {
        return unlessGone(asking, (error) => {
          if (folder === driveId) throw unknownDrive(driveId, error.details)
          if (folder === 'root') throw error
        })
      }
      return {
        name: driveId === undefined ? 'My Drive' : `the shared drive ${driveId}`,
        root: driveId ?? 'root',
        rootId: () => (driveId === undefined ? top.id(signal) : Promise.resolve(driveId)),
        fitsOneSearch: fits,
        async findByName(names) {
          const found = await foundOrNothing(search(drive, { query: query(names), corpus, pageSize }, signal))
          return found && merged(found, (item) => item.driveId === driveId && names.includes(item.name))
        },
        async findChildren(folder, names) {
          const conditions = inPortions(names, fits).map((portion) => every(inFolder(folder), portion && named(portion), notTrashed))
          const asking = conditions.map((q) => searchAll(drive, { query: q, corpus: { in: 'folder' }, limit: Infinity }, signal))
          const hits = await childrenOf(folder, Promise.all(asking))
          if (hits?.some(({ isIncomplete }) => isIncomplete)) throw incomplete()
          const items = hits?.flatMap((each) => each.items)
          if (folder === 'root' && items) top.learn(items)
          return items && merged(items, childIn(folder, names))
        },
        async listChildren(folder) {
          const wanted = { query: every(inFolder(folder), notTrashed), corpus: { in: 'folder' }, pageSize } as const
          const page = await childrenOf(folder, search(drive, wanted, signal))
          return page ? merged(page.files, childIn(folder)) : []
        },
        describe: ({ modifiedTime }) => `changed ${modifiedTime?.slice(0, 10) ?? 'at an unknown time'}`,
      }
    },
  }
}

/** The top of My Drive, as far as it is known. */
function topOf(drive: DriveClient) {
  let known: { readonly id: string | undefined; readonly until: number } | undefined
  let asking: { readonly answer: Promise<string | undefined>; readonly signal: AbortSignal } | undefined
  const ask = async (signal: AbortSignal) => {
    try {
      const id = await rootIdOrNone(drive, signal)
      known = { id, until: id === undefined ? Date.now() + unreadableMs : Infinity }
      return id
    } finally {
      asking = undefined
    }
  }
  const id = async (signal: AbortSignal): Promise<string | undefined> => {
    if (known !== undefined && known.until > Date.now()) return known.id
    const asked = asking ?? { answer: ask(signal), signal }
    asking = asked
    try {
      return await asked.answer
    } catch (error) {
      // Another call asked, and its caller gave up.
      if (asked.signal.aborted && !signal.aborted) return id(signal)
      throw error
    }
  }
  return {
    known: () => known?.id,
    id,
    /** Under drive.file nothing but the items in it tells its id. */
    learn(children: readonly DriveItem[]) {
      const [parent, ...others] = children[0]?.parents ?? []
      if (known?.id === undefined && parent !== undefined && others.length === 0) known = { id: parent, until: Infinity }
    },
  }
}

/** What one search found, unless it cannot be relied on. */
async function foundOrNothing(searching: Promise<Page>): Promise<readonly DriveItem[] | undefined> {
  try {
    const { files, nextPageToken, incompleteSearch } = await searching
    return nextPageToken === undefined && !incompleteSearch ? files : undefined
  } catch (error) {
    // A query that Drive finds too complex; folder by folder it is simple.
    if (error instanceof InvalidInput) return undefined
    throw error
  }
}

async function rootIdOrNone(drive: DriveClient, signal: AbortSignal): Promise<string | undefined> {
  return unlessGone(getRootId(drive, signal))
}

/** An answer of Drive; undefined where what was asked about is not there, or not for this person. */
async function unlessGone<Answer>(asking: Promise<Answer>, refuse?: (error: NotFound) => void): Promise<Answer | undefined> {
  try {
    return await asking
  } catch (error) {
    if (!(error instanceof NotFound)) throw error
    refuse?.(error)
    return undefined
  }
}

/** Names in as many searches as they need. A name too long for any is not asked for: then a folder is listed. */
function inPortions(names: readonly string[], fits: (names: readonly string[]) => boolean): readonly (readonly string[] | undefined)[] {
  if (!names.every((name) => fits([name]))) return [undefined]
  return names.reduce<string[][]>((portions, name) => {
    const last = portions.at(-1)
    if (last && fits([...last, name])) last.push(name)
    else portions.push([name])
    return portions
  }, [])
}

/** An item as paths see it. */
export function placed(item: DriveItem): PlacedItem {
  return { ...item, kind: kindOf(item.mimeType), opensFolder: folderBehind(item) }
}

function incomplete(): Unavailable {
  return new Unavailable(
    'Google Drive could not look everywhere just now, so a path cannot be told from another. Try again, or pass an id.',
  )
}

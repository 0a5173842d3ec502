import { InvalidInput, NotFound, Unavailable } from '@mcp-toolkits/core'
import type { Area, PathItem } from '@mcp-toolkits/core/paths'
import type { DriveClient } from './client.ts'
import { getRootId, search, searchAll, type Corpus, type Page } from './files.ts'
import { folderBehind, kindOf, type DriveItem } from './items.ts'
import { every, fitsIntoUrl, inFolder, named, notTrashed } from './query.ts'
import { RecentChanges } from './recent.ts'

/** An item of Drive that paths lead to. */
export type PlacedItem = DriveItem & PathItem

/** The parts of Drive in which paths begin, for one account; and what is known about them. */
export interface Areas {
  /** My Drive, or the shared drive with that id. */
  readonly at: (driveId: string | undefined, signal: AbortSignal) => Area<PlacedItem>
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
      return {
        name: driveId === undefined ? 'My Drive' : `the shared drive ${driveId}`,
        root: driveId ?? 'root',
        rootId: () => (driveId === undefined ? top.id(signal) : Promise.resolve(driveId)),
        fits: (names) => names.length <= mostNames && fitsIntoUrl(query(names)),
        async named(names) {
          const found = await foundOrNothing(search(drive, { query: query(names), corpus, pageSize }, signal))
          return found && recent.merged(found, (item) => item.driveId === driveId && names.includes(item.name)).map(placed)
        },
        async childrenNamed(folder, names) {
          const condition = every(inFolder(folder), named(names), notTrashed)
          const { items, isIncomplete } = await searchAll(drive, { query: condition, corpus: { in: 'folder' }, limit: Infinity }, signal)
          if (isIncomplete) throw incomplete()
          if (folder === 'root') top.learn(items)
          return recent.merged(items, childIn(folder, names)).map(placed)
        },
        async children(folder) {
          const page = await search(drive, { query: every(inFolder(folder), notTrashed), corpus: { in: 'folder' }, pageSize }, signal)
          return recent.merged(page.files, childIn(folder)).map(placed)
        },
        describe: ({ modifiedTime }) => `changed ${modifiedTime?.slice(0, 10) ?? 'at an unknown time'}`,
      }
    },
  }
}

/** The top of My Drive, as far as it is known. */
function topOf(drive: DriveClient) {
  let known: { readonly id: string | undefined; readonly until: number } | undefined
  const isKnown = () => known !== undefined && known.until > Date.now()
  return {
    known: () => known?.id,
    id: async (signal: AbortSignal) => {
      if (!isKnown()) {
        const id = await rootIdOrNone(drive, signal)
        known = { id, until: id === undefined ? Date.now() + unreadableMs : Infinity }
      }
      return known?.id
    },
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
  try {
    return await getRootId(drive, signal)
  } catch (error) {
    if (error instanceof NotFound) return undefined
    throw error
  }
}

function placed(item: DriveItem): PlacedItem {
  return { ...item, kind: kindOf(item.mimeType), leadsInto: folderBehind(item) }
}

function incomplete(): Unavailable {
  return new Unavailable(
    'Google Drive could not look everywhere just now, so a path cannot be told from another. Try again, or pass an id.',
  )
}

import { hash } from 'node:crypto'
import { constants, copyFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { type Store, text } from '@mcp-toolkits/sqlite'
import type { ContentStore } from './content.ts'

/** Snapshots of the files stored outside the database. */
export interface ContentSnapshots {
  readonly afterSnapshot: (name: string) => void
  readonly beforeRestore: () => void
  readonly afterRestore: (name: string) => void
  /** Drops all snapshots. */
  readonly close: () => void
}

/** Keeps contents, which never change, while a snapshot needs them; copies the drafts of unfinished uploads, which do change. */
export function openContentSnapshots(store: Store, contents: ContentStore): ContentSnapshots {
  /** Contents needed by each snapshot. */
  const needed = new Map<string, ReadonlySet<string>>()
  /** Contents that a restore may leave without an item. */
  let replaced: ReadonlySet<string> = new Set()
  const isKept = (name: string) => name.startsWith(copyPrefix) || [...needed.values()].some((keys) => keys.has(name))
  return {
    afterSnapshot(name) {
      contents.isKept = isKept
      const former = needed.get(name) ?? []
      needed.set(name, presentContents(store))
      contents.remove(former)
      copyDrafts(contents.directory(), prefixOf(name))
    },
    beforeRestore() {
      store.flush()
      replaced = presentContents(store)
    },
    afterRestore(name) {
      contents.remove(replaced)
      restoreDrafts(contents.directory(), prefixOf(name))
    },
    close() {
      if (needed.size === 0) return
      const present = presentContents(store)
      const kept = [...needed.values()].flatMap((keys) => [...keys])
      needed.clear()
      contents.isKept = undefined
      contents.remove(kept.filter((key) => !present.has(key)))
      removeCopies(contents.directory())
    },
  }
}

/** The keys of uploaded contents. The seed's contents are generated whenever they are missing. */
function presentContents(store: Store): ReadonlySet<string> {
  const uploaded = ['files', 'revisions'].map((table) => `select content from ${table} where content like 'blob-%'`)
  return new Set(store.rows({ content: text }, uploaded.join(' union ')).map(({ content }) => content))
}

const isDraft = (name: string) => name.startsWith('draft-')

const copyPrefix = 'snapshot-'

/** Prefix of a snapshot's copies. */
const prefixOf = (snapshot: string) => `${copyPrefix}${hash('sha256', snapshot).slice(0, 32)}-`

const copy = (from: string, to: string) => {
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
}

function copyDrafts(directory: string, prefix: string): void {
  const names = readdirSync(directory)
  for (const name of names.filter((each) => each.startsWith(prefix))) rmSync(join(directory, name))
  for (const name of names.filter(isDraft)) copy(join(directory, name), join(directory, prefix + name))
}

function restoreDrafts(directory: string, prefix: string): void {
  const names = readdirSync(directory)
  for (const name of names.filter(isDraft)) rmSync(join(directory, name))
  for (const name of names.filter((each) => each.startsWith(prefix)))
    copy(join(directory, name), join(directory, name.slice(prefix.length)))
}

function removeCopies(directory: string): void {
  for (const name of readdirSync(directory).filter((each) => each.startsWith(copyPrefix))) rmSync(join(directory, name), { force: true })
}

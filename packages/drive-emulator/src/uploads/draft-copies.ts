import { constants, copyFileSync, readdirSync, rmSync } from 'node:fs'
import { hash } from 'node:crypto'
import { join } from 'node:path'

const isDraft = (name: string) => name.startsWith('draft-')

const copyPrefix = 'snapshot-'

/** How the copies of a snapshot begin. */
const prefixOf = (snapshot: string) => `${copyPrefix}${hash('sha256', snapshot).slice(0, 32)}-`

const copy = (from: string, to: string) => {
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
}

/** Copies what unfinished uploads have received, for a snapshot of this name. */
export function copyDrafts(directory: string, snapshot: string): void {
  const prefix = prefixOf(snapshot)
  const names = readdirSync(directory)
  for (const name of names.filter((each) => each.startsWith(prefix))) rmSync(join(directory, name))
  for (const name of names.filter(isDraft)) copy(join(directory, name), join(directory, prefix + name))
}

/** Puts back what unfinished uploads had received when the snapshot was made. */
export function restoreDrafts(directory: string, snapshot: string): void {
  const prefix = prefixOf(snapshot)
  const names = readdirSync(directory)
  for (const name of names.filter(isDraft)) rmSync(join(directory, name))
  for (const name of names.filter((each) => each.startsWith(prefix)))
    copy(join(directory, name), join(directory, name.slice(prefix.length)))
}

/** Removes the copies of all snapshots. */
export function removeCopies(directory: string): void {
  for (const name of readdirSync(directory).filter((each) => each.startsWith(copyPrefix))) rmSync(join(directory, name), { force: true })
}

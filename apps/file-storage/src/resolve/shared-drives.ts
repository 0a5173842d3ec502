import { Ambiguous, InvalidInput, joinWords, NotFound, quote } from '@mcp-toolkits/core/errors'
import { exactMatcher, findMatch, isScopeName, readingsOf } from '@mcp-toolkits/core/references'
import type { CallScope } from '@mcp-toolkits/core/tool'
import { listSharedDrives, myDrive, topNames, type NamedDrive, type SharedDrive } from '../drive/about.ts'
import type { DriveClient } from '../drive/client.ts'
import { withListedDrives } from '../drive/errors.ts'
import { linkedId, idAlone, isDriveId, isId } from '../drive/ids.ts'

interface DriveLookup {
  readonly drive: DriveClient
  readonly scope: CallScope
  readonly notice: (text: string) => void
}

/**
 * The shared drive that a caller means by id, link or name; undefined for My Drive. Only a name takes a request. Throws `NotFound`,
 * `Ambiguous`, or `InvalidInput` if names cannot be looked up.
 */
export async function resolveDrive(
  text: string | undefined,
  lookup: DriveLookup,
  parameter = 'shared_drive_id',
): Promise<NamedDrive | undefined> {
  if (text === undefined) return undefined
  const readings = [text, ...readingsOf(text)]
  const id = readings.map((reading) => linkedId(reading)?.id ?? idAlone(reading)).find((each) => each !== undefined && isDriveId(each))
  if (id !== undefined) return { id }
  const listed = await listSharedDrives(lookup.drive, lookup.scope)
  if ('unavailable' in listed) {
    if (isId(text)) return { id: text }
    throw new InvalidInput(
      `"${parameter}" must be the id of a shared drive, not ${quote(text, 80)}: the names of shared drives cannot be read. ${listed.unavailable}`,
    )
  }
  const isKnown = exactMatcher(listed.drives)
  const plain = [...readings, ...readings.map(withoutKind)]
  const written = plain.find(isKnown) ?? text
  if (!isKnown(written) && readings.some((reading) => isScopeName(reading, myDrive))) {
    if (parameter !== 'shared_drive_id')
      throw new NotFound(`${quote(text, 80)} is not a shared drive. My Drive is always included.`, {
        next: { change: { [parameter]: null } },
      })
    lookup.notice(`${quote(text, 80)} is not a shared drive: shared_drive_id was read as My Drive, as if it were absent.`)
    return undefined
  }
  const { id: found, name } = matchDrive(written, listed.drives, parameter)
  if (name !== text) lookup.notice(`${parameter} ${quote(text, 80)} was read as the shared drive ${quote(name, 300)} (${found}).`)
  return { id: found, name }
}

function matchDrive(text: string, drives: readonly SharedDrive[], parameter: string): SharedDrive {
  try {
    return findMatch(text, drives, { kind: 'shared drive', parameter, autoAccept: false }).candidate
  } catch (error) {
    throw error instanceof NotFound ? withListedDrives(error) : error
  }
}

/** `Engineering` in "the Engineering drive", "Shared drives/Engineering" or "Engineering (shared drive)". */
function withoutKind(text: string): string {
  return text
    .replace(/^the\s/i, '')
    .replace(/^(?:(?:shared|team)\s)?drives?[/:\s]/i, '')
    .replace(/[\s_-]\(?(?:(?:shared|team)\s)?drive\)?$/i, '')
    .trim()
}

/** A path that begins with a shared drive's name. */
export interface PathInDrive {
  readonly drive: SharedDrive
  /** The rest of the path after the name; empty for the drive itself. */
  readonly rest: string
}

/** The shared drives visible to a person, for a path that does not begin with any of their names. */
export interface OtherDrives {
  readonly others: readonly SharedDrive[]
}

/**
 * The shared drive whose name a path begins with, if the person can see such a drive. Throws `Ambiguous` if several drives have that
 * name. With `sharedDrive`, only that drive counts.
 */
export async function driveOfPath(
  text: string,
  { sharedDrive, parameter }: { readonly sharedDrive: NamedDrive | undefined; readonly parameter: string },
  { drive, scope }: Pick<DriveLookup, 'drive' | 'scope'>,
): Promise<PathInDrive | OtherDrives> {
  const listed = await listSharedDrives(drive, scope)
  if ('unavailable' in listed) return { others: [] }
  const drives = listed.drives.filter(({ id }) => sharedDrive === undefined || id === sharedDrive.id)
  return driveAtStart(text, drives, parameter) ?? { others: listed.drives }
}

/** The drive whose name a path begins with. Throws `Ambiguous` if several drives have that name. */
export function driveAtStart(text: string, drives: readonly SharedDrive[], parameter: string): PathInDrive | undefined {
  for (const reading of [text, ...readingsOf(text)]) {
    const path = namesIn(reading).replace(/^(?:shared|team) drives\//i, '')
    const named = drivesAtStart(path, drives)
    const [first, ...others] = longestNames(named)
    if (!first) continue
    if (others.length > 0) throw severalDrives(text, [first, ...others], parameter)
    return { drive: first, rest: namesIn(path.slice(first.name.length)) }
  }
  return undefined
}

/** Maximum number of drives named in a message. */
const maxNamedDrives = 5

/** The drives whose name a path begins with, or else the drives whose name differs only in case. */
function drivesAtStart(path: string, drives: readonly SharedDrive[]): readonly SharedDrive[] {
  const startsWith = (name: string, text = path) => text === name || text.startsWith(`${name}/`)
  const exact = drives.filter(({ name }) => startsWith(name))
  return exact.length > 0 ? exact : drives.filter(({ name }) => startsWith(name.toLowerCase(), path.toLowerCase()))
}

function longestNames(drives: readonly SharedDrive[]): readonly SharedDrive[] {
  const longest = Math.max(0, ...drives.map(({ name }) => name.length))
  return drives.filter(({ name }) => name.length === longest)
}

/** Sentence saying that only My Drive was searched: otherwise, a file in a shared drive would seem not to exist. */
export function notInMyDrive({ others }: OtherDrives, parameter: string): string {
  const names = others.slice(0, maxNamedDrives).map(({ name }) => quote(name, 80))
  const more = others.length > names.length ? ['others'] : []
  return `The path was looked up in My Drive. To look in a shared drive, begin ${parameter} with its name: ${joinWords([...names, ...more], 'or')}.`
}

/** Advice for a caller who means My Drive in a call about a shared drive. */
export const forMyDrive =
  'shared_drive_id applies to every path in the call. For My Drive, leave it out, and begin any path in the shared drive with its name.'

/** True for names that people use for My Drive's root, but that may also mean a missing folder. */
export function isTopName(text: string): boolean {
  return topNames.some((name) => name.toLowerCase() === text.trim().toLowerCase())
}

export const isMyDrive = (text: string) => isTopName(text) || /^\s*my[\s_-]?drive\s*$/i.test(text)

function severalDrives(text: string, drives: readonly SharedDrive[], parameter: string): Ambiguous {
  const ids = drives.map(({ id }) => id).join(', ')
  return new Ambiguous(
    `${quote(text, 200)} begins with the name of ${drives.length} shared drives (ids ${ids}). Pass shared_drive_id, and in ${parameter} only the path inside that drive.`,
    { suggestions: drives.map(({ id, name }) => ({ value: name, id, parameter: 'shared_drive_id', confidence: 1 })) },
  )
}

/** The names in a path, without extra slashes. */
export function namesIn(path: string): string {
  return path
    .split('/')
    .filter((name) => name !== '')
    .join('/')
}

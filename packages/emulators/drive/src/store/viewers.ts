import { integer, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { driveIdFor } from './ids.ts'

/** The person behind a request, whose drive is listed, and to whom `me` and `my` refer. */
export interface Viewer {
  /** Their permission id. */
  readonly id: string
  /** The root of their My Drive. */
  readonly rootId: string
  /** True for the seed's person, whose columns are in the items table itself. */
  readonly isFirst: boolean
}

/** The viewer's id in grants; undefined for the first person, as in grants from before there were several people. */
export const grantee = ({ id, isFirst }: Viewer): string | undefined => (isFirst ? undefined : id)

/** The database as one person sees it. */
export interface DriveStore extends Store {
  readonly viewer: Viewer
}

export const seenBy = (store: Store, viewer: Viewer): DriveStore => ({ ...store, viewer })

/** Columns that differ by person. The first person's are in the items table, other people's in `views`. */
export const personalColumns = [
  'starred',
  'viewedByMeTime',
  'modifiedByMeTime',
  'sharedWithMeTime',
  'sharingId',
  'granted',
  'role',
  'reach',
  'inDomain',
] as const

const sharedColumns = (
  'n id driveId parentId ownerId name nameFold nameNatural nameWords textWords mimeType description trashed explicitlyTrashed trashedTime ' +
  'createdTime modifiedTime lastModifyingId indexedAt version size md5 headRevisionId content originalFilename targetId targetMimeType ' +
  'resourceKey properties appProperties writersCanShare copyRequiresWriter abusive shared'
).split(' ')

const flags: readonly string[] = ['starred', 'granted', 'inDomain']

const ofOthers = `(select ${[
  ...sharedColumns.map((name) => `i.${name}`),
  ...personalColumns.map((name) => (flags.includes(name) ? `coalesce(v.${name}, 0) as ${name}` : `v.${name}`)),
].join(', ')} from files i left join views v on v.fileId = i.id and v.personId = :viewer)`

/** The items table as the viewer sees it, for a `from` clause. Statements with it need `viewerValues`. */
export const itemTable = ({ viewer }: DriveStore): string => (viewer.isFirst ? 'files' : ofOthers)

/** The parameters of `itemTable`. */
export const viewerValues = ({ viewer }: DriveStore): Record<string, string> => (viewer.isFirst ? {} : { viewer: viewer.id })

type PersonalColumns = Readonly<Partial<Record<(typeof personalColumns)[number], string | number | null>>>

/** Sets an item's personal columns for a viewer other than the first. */
export function updateView(store: DriveStore, fileId: string, changes: PersonalColumns): void {
  const names = Object.keys(changes)
  if (names.length === 0) return
  const values = { personId: store.viewer.id, fileId, ...changes }
  const all = Object.keys(values)
  store.run(
    `insert into views (${all.join(', ')}) values (${all.map((name) => `:${name}`).join(', ')})
     on conflict (personId, fileId) do update set ${names.map((name) => `${name} = excluded.${name}`).join(', ')}`,
    values,
  )
}

const account = { personId: text, rootId: text }
const toViewer = ({ personId, rootId }: RowOf<typeof account>): Viewer => ({ id: personId, rootId, isFirst: false })

/** A person with an account, other than the first one. */
export const accountOf = (store: Store, personId: string): Viewer | undefined =>
  store.rows(account, 'select personId, rootId from accounts where personId = :personId', { personId }).map(toViewer)[0]

/** Adds an account, but not its root. */
export function insertAccount(store: Store, { id, email }: { readonly id: string; readonly email: string }): Viewer {
  const rootId = driveIdFor(`My Drive of ${email}`)
  store.run('insert into accounts values (:id, :rootId)', { id, rootId })
  return { id, rootId, isFirst: false }
}

/**
 * Accounts besides the first one whose access to an item may differ from the general public's: owners, people it was shared with, people
 * who see it or its folder, and everyone once it is open to the organization or by link.
 */
export function accountsAt(store: Store, { id, parentId }: { readonly id: string; readonly parentId: string | null }): Viewer[] {
  // Most drives have one account.
  if (store.rows({ found: integer }, 'select exists (select 1 from accounts) as found')[0]?.found !== 1) return []
  const sql = `select personId, rootId from accounts where
    exists (select 1 from permissions where fileId = :id and type in ('domain', 'anyone'))
    or personId in (
      select ownerId from files where id = :id
      union select permissionId from permissions where fileId = :id
      union select personId from views where fileId = :id
      union select personId from views where fileId = :parentId and role is not null
    )`
  return store.rows(account, sql, { id, parentId }).map(toViewer)
}

import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { driveResource } from '../drives/drives.ts'
import { defaultFields, fileResource } from '../files/resource.ts'
import { invalidValue, required } from '../http/errors.ts'
import {
  applyMask,
  defineShape,
  type FieldShape,
  fileShape,
  type Mask,
  maskBelow,
  maskOf,
  readMask,
  sharedDriveShape,
} from '../http/field-masks.ts'
import type { Answers } from '../session/methods.ts'
import { shownUntil } from '../session/index-lag.ts'
import type { Session } from '../session/session.ts'
import { isDriveId } from '../store/ids.ts'
import { type Item, itemById } from '../store/items.ts'
import { driveById, memberDrive } from '../store/shared-drives.ts'

export const changeShape: FieldShape = defineShape('kind type changeType time removed fileId driveId teamDriveId', {
  file: fileShape,
  drive: sharedDriveShape,
  teamDrive: sharedDriveShape,
})
export const changeListShape: FieldShape = defineShape('kind nextPageToken newStartPageToken', { changes: changeShape })

const defaultListFields = maskOf('kind nextPageToken newStartPageToken', {
  changes: maskOf('kind type changeType time removed fileId driveId', { file: defaultFields }),
})

/** The change feed's methods: https://developers.google.com/workspace/drive/api/guides/manage-changes. */
export const changeMethods: Answers = {
  'changes.getStartPageToken'(session) {
    const driveId = session.params.text('driveId')
    if (driveId !== undefined) memberDrive(session, driveId)
    return { kind: 'drive#startPageToken', startPageToken: newestToken(session.store) }
  },
  'changes.list': listChanges,
}

function listChanges(session: Session): unknown {
  const { params } = session
  const mask = readMask(session, changeListShape, defaultListFields)
  const size = params.whole('pageSize', { usual: 100, largest: 1000 })
  const token = params.text('pageToken')
  if (token === undefined) throw required('pageToken', 'Required parameter: pageToken')
  return applyMask({ kind: 'drive#changeList', ...readFeed(session, { token, size, mask: maskBelow(mask, 'changes') }) }, mask)
}

const shape = { id: integer, at: text, method: text, fileId: text, deleted: nullable(integer), driveId: nullable(text) }

/** The latest change to an item or a shared drive. Its id is that of the mutation. */
export type Change = RowOf<typeof shape>

// An item appears in the feed once, with its latest change. A deletion appears once for each deleted item.
const feed = `select m.id, m.at, m.method, m.fileId, null as deleted, null as driveId from mutations m
where m.id >= :id and m.fileId is not null and m.method <> 'files.emptyTrash'
  and m.id = (select max(id) from mutations l where l.fileId = m.fileId)
  and not exists (select 1 from deleted d where d.id = m.fileId and d.mutation is not null)
union all select d.mutation, m.at, m.method, d.id, 1, d.driveId from deleted d join mutations m on m.id = d.mutation
where d.mutation >= :id and (d.viewers is null or json_extract(d.viewers, '$."' || :viewer || '"') >= :granted)`

/** The token for future changes. */
export const newestToken = (store: Store): string =>
  String((store.rows({ id: integer }, 'select coalesce(max(id), 0) as id from mutations')[0]?.id ?? 0) + 1)

/** A place in the feed: after the change with this id to `fileId` or, without `fileId`, before all changes with this id. */
function parsePosition(token: string) {
  const [, id = '', fileId = ''] = /^(\d{1,15})(?:~([\w-]{1,100}))?$/.exec(token) ?? []
  if (id === '') throw invalidValue('pageToken')
  return { id: Number(id), fileId }
}

/** At most `limit` changes, starting at a token. */
const changesFrom = ({ store, caller, ...session }: Session, token: string, limit: number): Change[] =>
  store.rows(shape, `select * from (${feed}) where (id, fileId) > (:id, :fileId) and at <= :shown order by id, fileId limit :limit`, {
    ...parsePosition(token),
    viewer: store.viewer.id,
    granted: Number(caller.onlyGranted),
    limit,
    shown: shownUntil(session),
  })

/** The token for changes that the feed does not show yet. */
function unseenToken(session: Session, token: string): string {
  const unseen = 'select min(id) as id from mutations where at > :shown'
  const [first] = session.store.rows({ id: nullable(integer) }, unseen, { shown: shownUntil(session) })
  if (first?.id == null) return newestToken(session.store)
  return first.id > parsePosition(token).id ? String(first.id) : token
}

/** The part of the feed that a caller asks for. */
export function parseFeedFilter(session: Session) {
  const { params } = session
  const spaces = params.text('spaces') ?? 'drive'
  if (spaces !== 'drive') throw invalidValue('spaces')
  const driveId = params.text('driveId') ?? params.text('teamDriveId')
  const withDrives = params.flag('includeItemsFromAllDrives') || params.flag('includeTeamDriveItems')
  return {
    driveId: driveId === undefined ? undefined : memberDrive(session, driveId).id,
    withDrives: (withDrives || driveId !== undefined) && !params.flag('restrictToMyDrive'),
    withRemoved: params.flag('includeRemoved', true),
  }
}

type FeedFilter = ReturnType<typeof parseFeedFilter>

/** A change as the caller sees it; undefined if the caller cannot see its subject. */
function changeResource(session: Session, change: Change, { filter, mask }: { filter: FeedFilter; mask: Mask }) {
  const { at, fileId, method } = change
  const shared = { kind: 'drive#change', time: at }
  if (method.startsWith('drives.')) return driveChange(session, change, filter)
  const item = change.deleted === 1 ? undefined : itemById(session.store, fileId)
  const removed = { ...shared, type: 'file', changeType: 'file', removed: true, fileId }
  if (item === undefined) return filter.withRemoved && isInFeed(change, filter) ? removed : undefined
  if (!isInFeed(item, filter)) return undefined
  if (!session.isVisible(item)) return method === 'permissions.delete' && filter.withRemoved ? removed : undefined
  return { ...removed, removed: false, file: fileResource(item, maskBelow(mask, 'file'), session) }
}

const isInFeed = ({ driveId }: Pick<Item, 'driveId'>, filter: FeedFilter) =>
  filter.driveId === undefined ? driveId === null || filter.withDrives : driveId === filter.driveId

function driveChange(session: Session, { at, fileId: driveId }: Change, filter: FeedFilter) {
  if (!filter.withDrives || (filter.driveId ?? driveId) !== driveId) return undefined
  const drive = driveById(session.store, driveId)
  const shared = { kind: 'drive#change', type: 'drive', changeType: 'drive', time: at, driveId, teamDriveId: driveId }
  if (drive === undefined) return filter.withRemoved && isDriveId(driveId) ? { ...shared, removed: true } : undefined
  const root = itemById(session.store, driveId)
  if (root?.role == null) return undefined
  return { ...shared, removed: false, drive: driveResource(session, drive) }
}

/** Changes that the caller can see, starting at a token, and the token for the next page or, on the last page, for future changes. */
function readFeed(session: Session, { token, size, mask }: { token: string; size: number; mask: Mask }) {
  const filter = parseFeedFilter(session)
  if (parsePosition(token).id > Number(newestToken(session.store))) throw invalidValue('pageToken')
  const changes: object[] = []
  for (let from = token; ;) {
    const batch = changesFrom(session, from, 500)
    for (const change of batch) {
      const resource = changeResource(session, change, { filter, mask })
      if (resource === undefined) continue
      if (changes.length === size) return { nextPageToken: from, changes }
      changes.push(resource)
      from = `${change.id}~${change.fileId}`
    }
    const last = batch.at(-1)
    if (last === undefined) return { newStartPageToken: unseenToken(session, token), changes }
    from = `${last.id}~${last.fileId}`
  }
}

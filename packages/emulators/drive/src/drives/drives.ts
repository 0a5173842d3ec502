import { type JsonObject, parseJson, toObject } from '@mcp-toolkits/emulator'
import { invalidValue } from '../http/errors.ts'
import { applyMask, driveListShape, maskOf, readMask, sharedDriveShape } from '../http/field-masks.ts'
import { createPageToken, readPageToken } from '../http/page-tokens.ts'
import { shownUntil } from '../session/index-lag.ts'
import type { Session } from '../session/session.ts'
import { roleRank } from '../sharing/grants.ts'
import { itemById } from '../store/items.ts'
import { driveRow, memberDrive, type SharedDrive } from '../store/shared-drives.ts'
import { itemTable, viewerValues } from '../store/viewers.ts'

/** The fields returned if a request has no `fields`. */
export const defaultDriveFields = maskOf('kind id name')
const defaultListFields = maskOf('kind nextPageToken', { drives: defaultDriveFields })

/** `GET /drive/v3/drives/{id}` */
export function getDrive(session: Session, id: string): unknown {
  const mask = readMask(session, sharedDriveShape, defaultDriveFields)
  return applyMask(driveResource(session, memberDrive(session, id)), mask)
}

/** `GET /drive/v3/drives` */
export function listDrives(session: Session): unknown {
  const { params, store } = session
  const mask = readMask(session, driveListShape, defaultListFields)
  const size = params.whole('pageSize', { usual: 10, largest: 100 })
  if (params.text('q') !== undefined || params.flag('useDomainAdminAccess'))
    throw invalidValue('q', 'Only administrators may search shared drives.')
  const after = readPageToken(params.text('pageToken'), 'drives')
  const member = `exists (select 1 from ${itemTable(store)} f where f.id = d.id and f.role is not null)`
  const sql = `select d.* from drives d where ${member} and d.createdTime <= :shown and d.n > :after order by d.n limit :limit`
  const values = { after: Number(after[0] ?? 0), limit: size + 1, shown: shownUntil(session) }
  const found = store.rows(driveRow, sql, { ...values, ...viewerValues(store) })
  const shown = found.slice(0, size)
  const last = shown.at(-1)
  return applyMask(
    {
      kind: 'drive#driveList',
      ...(found.length > size && last !== undefined && { nextPageToken: createPageToken('drives', [last.n]) }),
      drives: shown.map((drive) => driveResource(session, drive)),
    },
    mask,
  )
}

/** A drive's restrictions, except the one on folders, which has its own column. */
export function restrictionsOf({ restrictions }: Pick<SharedDrive, 'restrictions'>): JsonObject {
  const set = restrictions === null ? {} : toObject(parseJson(restrictions))
  const forReaders = set['copyRequiresWriterPermission']
  return {
    ...set,
    ...(forReaders !== undefined && { downloadRestriction: { restrictedForReaders: forReaders, restrictedForWriters: false } }),
  }
}

/** A shared drive as the API returns it. */
export function driveResource({ store }: Session, drive: SharedDrive): object {
  const { id, name, createdTime, hidden, foldersNeedOrganizer } = drive
  const role = itemById(store, id)?.role ?? null
  const atLeast = (wanted: string) => roleRank(role) >= roleRank(wanted)
  return {
    kind: 'drive#drive',
    id,
    name,
    colorRgb: '#0f9d58',
    createdTime,
    hidden: hidden === 1,
    capabilities: {
      canAddChildren: atLeast('writer'),
      canComment: atLeast('commenter'),
      canDeleteChildren: atLeast('organizer'),
      canDeleteDrive: atLeast('organizer'),
      canDownload: true,
      canEdit: atLeast('writer'),
      canListChildren: true,
      canManageMembers: atLeast('organizer'),
      canRename: atLeast('writer'),
      canRenameDrive: atLeast('organizer'),
      canShare: atLeast('writer'),
      canTrashChildren: atLeast('fileOrganizer'),
    },
    restrictions: {
      adminManagedRestrictions: false,
      copyRequiresWriterPermission: false,
      domainUsersOnly: false,
      driveMembersOnly: false,
      ...restrictionsOf(drive),
      sharingFoldersRequiresOrganizerPermission: foldersNeedOrganizer === 1,
    },
  }
}

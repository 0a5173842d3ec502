import { insertRow, isObject, type JsonObject, parseJson, toObject } from '@mcp-toolkits/emulator'
import { integer, text } from '@mcp-toolkits/sqlite'
import { deleteTree } from '../files/write.ts'
import { badRequest, DriveError, forbidden, invalidField, notAllowed, required } from '../http/errors.ts'
import { readMask, respondWith, sharedDriveShape } from '../http/field-masks.ts'
import { parseOptionalObject } from '../http/parameters.ts'
import { personById } from '../people/people.ts'
import type { Answers } from '../session/methods.ts'
import type { Session } from '../session/session.ts'
import { refreshAccess } from '../sharing/effective-access.ts'
import { insertPermission, roleRank } from '../sharing/grants.ts'
import { driveIdFor } from '../store/ids.ts'
import { folderType, insertItem, itemById, selectItems, updateItem } from '../store/items.ts'
import { driveById, memberDrive, type SharedDrive } from '../store/shared-drives.ts'
import { defaultDriveFields, driveResource } from './drives.ts'

const shown = { shape: sharedDriveShape, absent: defaultDriveFields }

/** Methods that change shared drives: https://developers.google.com/workspace/drive/api/guides/manage-shareddrives. */
export const sharedDriveMethods: Answers = {
  async 'drives.create'(session, { body }) {
    readMask(session, sharedDriveShape, defaultDriveFields)
    const requestId = session.params.text('requestId')
    if (requestId === undefined) throw required('requestId', 'Required parameter: requestId')
    const sent = parseDrive(body())
    const drive = await session.change('drives.create', () => createDrive(session, requestId, sent))
    return respondWith(session, driveResource(session, drive), shown)
  },
  'drives.update': (session, { part, body }) => changeDrive(session, 'drives.update', { id: part('driveId'), sent: parseDrive(body()) }),
  'drives.hide': (session, { part }) => changeDrive(session, 'drives.hide', { id: part('driveId'), hidden: 1 }),
  'drives.unhide': (session, { part }) => changeDrive(session, 'drives.unhide', { id: part('driveId'), hidden: 0 }),
  async 'drives.delete'(session, { part }) {
    const { contents } = await session.change('drives.delete', () => deleteDrive(session, part('driveId')))
    session.contents.remove(contents)
  },
}

interface DriveBody {
  readonly name: string | undefined
  /** Restrictions in the body; an update keeps all other restrictions. */
  readonly restrictions: Readonly<Partial<Record<Restriction, boolean>>>
}

const restrictionNames = [
  'adminManagedRestrictions',
  'copyRequiresWriterPermission',
  'domainUsersOnly',
  'driveMembersOnly',
  'sharingFoldersRequiresOrganizerPermission',
] as const
type Restriction = (typeof restrictionNames)[number]

function parseDrive(json: string): DriveBody {
  const { name, restrictions } = parseOptionalObject(json)
  if (name !== undefined && (typeof name !== 'string' || name === '')) throw invalidField('drive.name', 'Invalid value for name.')
  return { name, restrictions: isObject(restrictions) ? parseRestrictions(restrictions) : {} }
}

/** Drive refuses `downloadRestriction` in any form, even though it returns this field. */
function parseRestrictions(sent: JsonObject): DriveBody['restrictions'] {
  if ('downloadRestriction' in sent) throw badRequest('Bad Request')
  const named = restrictionNames.flatMap((name) => (sent[name] === undefined ? [] : [[name, sent[name]] as const]))
  const flags = named.flatMap(([name, value]) => (typeof value === 'boolean' ? [[name, value] as const] : []))
  if (flags.length < named.length) throw invalidField('drive.restrictions', 'Invalid value for restrictions.')
  return Object.fromEntries(flags)
}

/** The restriction columns, merged with a drive's current ones. */
function restrictionColumns(
  { restrictions: sent }: Pick<DriveBody, 'restrictions'>,
  { restrictions, foldersNeedOrganizer }: Pick<SharedDrive, 'restrictions' | 'foldersNeedOrganizer'>,
) {
  const { sharingFoldersRequiresOrganizerPermission: needs, ...others } = sent
  const before = restrictions === null ? {} : toObject(parseJson(restrictions))
  return { foldersNeedOrganizer: Number(needs ?? foldersNeedOrganizer === 1), restrictions: JSON.stringify({ ...before, ...others }) }
}

/** Creates a shared drive with the caller as its organizer. A request id works only once. */
function createDrive({ store, at }: Session, requestId: string, { name, restrictions }: DriveBody): SharedDrive {
  if (name === undefined) throw required('drive.name', 'The shared drive name is required.')
  const viewer = store.viewer.id
  const earlier = 'select driveId from drive_requests where requestId = :requestId and viewer = :viewer'
  if (store.rows({ driveId: text }, earlier, { requestId, viewer }).length > 0)
    throw new DriveError(409, 'alreadyExists', 'The shared drive for this request already exists.')
  const count = store.rows({ n: integer }, 'select count(*) as n from drive_requests')[0]?.n ?? 0
  const id = driveIdFor(`drive ${name} ${count + 1} of ${viewer}`)
  store.run('insert into drive_requests values (:requestId, :viewer, :id)', { requestId, viewer, id })
  const columns = restrictionColumns({ restrictions }, { restrictions: null, foldersNeedOrganizer: 0 })
  insertRow(store, 'drives', { id, name, createdTime: at, ...columns })
  insertItem(store, { id, name, driveId: id, mimeType: folderType, createdTime: at })
  const emailAddress = personById(store, viewer)?.email ?? null
  insertPermission(store, { fileId: id, role: 'organizer', type: 'user', permissionId: viewer, emailAddress })
  refreshAccess(store, id)
  return existing(driveById(store, id))
}

function existing(drive: SharedDrive | undefined): SharedDrive {
  if (drive === undefined) throw new Error('A shared drive that was just written is missing.')
  return drive
}

interface DriveChange {
  readonly id: string
  readonly sent?: DriveBody
  /** True for all members, because the emulator has one view of a shared drive. */
  readonly hidden?: number
}

async function changeDrive(session: Session, method: string, { id, sent, hidden }: DriveChange): Promise<unknown> {
  const { store } = session
  readMask(session, sharedDriveShape, defaultDriveFields)
  const changed = await session.change(method, () => {
    const drive = memberDrive(session, id)
    if (sent !== undefined) requireOrganizer(session, id)
    const name = sent?.name ?? drive.name
    const columns = restrictionColumns(sent ?? { restrictions: {} }, drive)
    const sets = 'name = :name, foldersNeedOrganizer = :foldersNeedOrganizer, restrictions = :restrictions, hidden = :hidden'
    store.run(`update drives set ${sets} where id = :id`, { id, name, hidden: hidden ?? drive.hidden, ...columns })
    if (name !== drive.name) updateItem(store, id, { name })
    return existing(driveById(store, id))
  })
  return respondWith(session, driveResource(session, changed), shown)
}

function requireOrganizer({ store }: Session, id: string): void {
  if (roleRank(itemById(store, id)?.role) < roleRank('organizer')) throw notAllowed()
}

/** Deletes a shared drive whose items are all in the trash. */
function deleteDrive(session: Session, id: string): { readonly id: string; readonly contents: readonly (string | null)[] } {
  const { store } = session
  memberDrive(session, id)
  requireOrganizer(session, id)
  const root = itemById(store, id)
  const left = selectItems(store, 'where f.driveId = :id and f.id <> :id and f.trashed = 0 limit 1', { id })
  if (left.length > 0) throw forbidden('cannotDeleteNonEmptyDrive', 'A shared drive with items outside the trash cannot be deleted.')
  store.run('delete from drives where id = :id', { id })
  return { id, contents: root === undefined ? [] : deleteTree(session, root) }
}

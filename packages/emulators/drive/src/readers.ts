import type { ListRange, PageTable } from '@mcp-toolkits/emulator'
import { listGrants, type OAuthGrant } from '@mcp-toolkits/emulator/oauth'
import { integer, nullable, type RowOf, type Store, text } from '@mcp-toolkits/sqlite'
import { type Item, selectItems } from './store/items.ts'
import { firstViewer, personByAddress, robin, viewerOf } from './people/people.ts'
import { allPermissions, type Permission } from './sharing/grants.ts'
import type { MethodUsage, QuotaMeter } from './http/quota.ts'
import { type DriveStore, seenBy, type Viewer } from './store/viewers.ts'

const mutation = { id: integer, at: text, method: text, fileId: nullable(text) }
const mail = { id: integer, at: text, fileId: text, recipient: text, role: text, message: nullable(text) }

/** One change that took effect. */
export type DriveMutation = RowOf<typeof mutation>

/** A notification mail. */
export type DriveMail = RowOf<typeof mail>

/** All items, including trashed and invisible ones, oldest first, as the first person sees them. */
export interface DriveReaders {
  /** As the person with this address sees them, who has an account; as the first one does when absent. */
  readonly files: (email?: string) => Item[]
  /** The items with exactly this name. */
  readonly named: (name: string) => Item[]
  /** Direct permissions, without owners and inherited roles. */
  readonly permissions: () => Permission[]
  /** OAuth grants of all people. */
  readonly grants: () => OAuthGrant[]
  readonly mails: (range?: ListRange) => DriveMail[]
  /** The changes, in order. */
  readonly mutations: (range?: ListRange) => DriveMutation[]
  /** Quota units spent since the start or the last reset. */
  readonly units: () => number
  readonly unitsByMethod: () => Readonly<Record<string, MethodUsage>>
}

export function createReaders(store: Store, meter: QuotaMeter): DriveReaders {
  return {
    files: (email) => selectItems(seenBy(store, viewerWithAddress(store, email)), 'order by f.n'),
    named: (name) => selectItems(seenBy(store, firstViewer), 'where f.name = :name order by f.n', { name }),
    permissions: () => allPermissions(store),
    grants: () => listGrants(store),
    mails: (range) => listMails(store, range),
    mutations: (range) => listMutations(store, range),
    units: meter.total,
    unitsByMethod: meter.byMethod,
  }
}

function viewerWithAddress(store: Store, email: string = robin.email): Viewer {
  const viewer = viewerOf(store, personByAddress(store, email)?.permissionId ?? '')
  if (viewer === undefined) throw new Error(`${email} has no account.`)
  return viewer
}

/** Mutations after the one with the id `after`. */
export const listMutations = (store: Store, { after = 0, limit = -1 }: ListRange = {}): DriveMutation[] =>
  store.rows(mutation, 'select id, at, method, fileId from mutations where id > :after order by id limit :limit', { after, limit })

/** The newest mutations, newest first. */
export const latestMutations = (store: Store, count: number): DriveMutation[] =>
  store.rows(mutation, 'select id, at, method, fileId from mutations order by id desc limit :count', { count })

/** Mails after the one with the id `after`. */
export const listMails = (store: Store, { after = 0, limit = -1 }: ListRange = {}): DriveMail[] =>
  store.rows(mail, 'select * from mails where id > :after order by id limit :limit', { after, limit })

/** The newest mails, newest first. */
export const latestMails = (store: Store, count: number): DriveMail[] =>
  store.rows(mail, 'select * from mails order by id desc limit :count', { count })

/** The changes, as a table on the emulator’s page. */
export const mutationTable = (store: Store): PageTable => ({
  name: 'mutations',
  title: 'Mutations',
  columns: ['id', 'at', 'method', 'fileId'],
  list: (range) => listMutations(store, range),
  latest: (count) => latestMutations(store, count),
})

/** The notification mails, as a table on the emulator’s page. */
export const mailTable = (store: Store): PageTable => ({
  name: 'mails',
  title: 'Mails',
  columns: ['id', 'at', 'fileId', 'recipient', 'role', 'message'],
  list: (range) => listMails(store, range),
  latest: (count) => latestMails(store, count),
})

const mutationColumns = { id: integer, at: text, method: text, fileId: nullable(text), viewer: nullable(text), call: nullable(text) }

/** A change as it is shown. */
export type MutationRow = RowOf<typeof mutationColumns>

/** The changes that a clause selects. */
export const selectMutations = (store: DriveStore, clause: string, values: Readonly<Record<string, string | number>>): MutationRow[] =>
  store.rows(mutationColumns, `select id, at, method, fileId, viewer, call from mutations ${clause}`, values)

/** The last change of an item; undefined when it is as it began. */
export const lastMutation = (store: DriveStore, fileId: string): MutationRow | undefined =>
  selectMutations(store, 'where fileId = :fileId order by id desc limit 1', { fileId })[0]

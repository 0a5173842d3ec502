import type { Range } from '@mcp-toolkits/emulator'
import { listGrants, type Grant as OAuthGrant } from '@mcp-toolkits/emulator/oauth'
import { integer, nullable, text, type RowOf, type Store } from '@mcp-toolkits/store'
import { selectItems, type Item } from './items.ts'
import { allGrants, type Grant } from './permissions/read.ts'
import type { Meter, Spent } from './units.ts'

const mutation = { id: integer, at: text, method: text, fileId: nullable(text) }
const mail = { id: integer, at: text, fileId: text, recipient: text, role: text, message: nullable(text) }

/** One change that took effect. */
export type DriveMutation = RowOf<typeof mutation>

/** One notification that somebody was sent. */
export type DriveMail = RowOf<typeof mail>

/** What the account holds, trashed items and what it cannot see too, oldest first. */
export interface DriveReaders {
  readonly files: () => Item[]
  /** The items with exactly this name. */
  readonly named: (name: string) => Item[]
  /** What was granted item by item; owners and inherited roles are not among it. */
  readonly permissions: () => Grant[]
  /** What the person granted to applications. */
  readonly grants: () => OAuthGrant[]
  readonly mails: (range?: Range) => DriveMail[]
  /** What was changed, in order. */
  readonly mutations: (range?: Range) => DriveMutation[]
  /** Quota units spent since the start or the last reset. */
  readonly units: () => number
  readonly unitsByMethod: () => Readonly<Record<string, Spent>>
}

export function readersOf(store: Store, meter: Meter): DriveReaders {
  return {
    files: () => selectItems(store, 'order by f.n'),
    named: (name) => selectItems(store, 'where f.name = :name order by f.n', { name }),
    permissions: () => allGrants(store),
    grants: () => listGrants(store),
    mails: (range) => listMails(store, range),
    mutations: (range) => listMutations(store, range),
    units: meter.total,
    unitsByMethod: meter.byMethod,
  }
}

/** Mutations after the one with the id `after`. */
export const listMutations = (store: Store, { after = 0, limit = -1 }: Range = {}): DriveMutation[] =>
  store.rows(mutation, 'select id, at, method, fileId from mutations where id > :after order by id limit :limit', { after, limit })

/** The newest mutations, newest first. */
export const latestMutations = (store: Store, count: number): DriveMutation[] =>
  store.rows(mutation, 'select id, at, method, fileId from mutations order by id desc limit :count', { count })

/** Mails after the one with the id `after`. */
export const listMails = (store: Store, { after = 0, limit = -1 }: Range = {}): DriveMail[] =>
  store.rows(mail, 'select * from mails where id > :after order by id limit :limit', { after, limit })

/** The newest mails, newest first. */
export const latestMails = (store: Store, count: number): DriveMail[] =>
  store.rows(mail, 'select * from mails order by id desc limit :count', { count })

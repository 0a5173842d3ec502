import type { ListRange } from '@mcp-toolkits/emulator'
import { listGrants, type OAuthGrant } from '@mcp-toolkits/emulator/oauth'
import type { Store } from '@mcp-toolkits/sqlite'
import { type DriveMutation, mutationTable } from './changes/mutations.ts'
import type { MethodUsage, QuotaMeter } from './http/quota.ts'
import { firstViewer, personByAddress, robin, viewerOf } from './people/people.ts'
import { allPermissions, type Permission } from './sharing/grants.ts'
import { type DriveMail, mailTable } from './sharing/mails.ts'
import { type Item, selectItems } from './store/items.ts'
import { seenBy, type Viewer } from './store/viewers.ts'

/** Readers of stored data. Items include trashed and invisible ones, oldest first, as the first person sees them. */
export interface DriveReaders {
  /** Items as the person with this address sees them; by default, the first person. The person must have an account. */
  readonly files: (email?: string) => Item[]
  /** The items with exactly this name. */
  readonly named: (name: string) => Item[]
  /** Direct permissions, without owners and inherited roles. */
  readonly permissions: () => Permission[]
  /** All people's OAuth grants. */
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
    mails: mailTable(store).list,
    mutations: mutationTable(store).list,
    units: meter.total,
    unitsByMethod: meter.byMethod,
  }
}

function viewerWithAddress(store: Store, email: string = robin.email): Viewer {
  const viewer = viewerOf(store, personByAddress(store, email)?.permissionId ?? '')
  if (viewer === undefined) throw new Error(`${email} has no account.`)
  return viewer
}

import type { ExpiringRecords, Locks } from './shared-state.ts'

/** A person, as identified by their company's identity provider. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  /** Present for a service identity: an application that acts without a person. Its subject is its client id. */
  readonly isService?: true
}

/** A caller, exactly as the verified token identifies them. */
export interface Caller extends Person {
  /** Keyed hash that identifies the person in stores; it reveals nothing without the key. */
  readonly owner: string
  /** The client that the token was issued to. */
  readonly clientId: string
  readonly permissions: readonly Permission[]
  /** The person's account for the call; `default` unless the path names another. */
  readonly profile: string
}

/** A permission that a token grants; each one includes those before it. */
export type Permission = 'read' | 'write' | 'delete'

/**
 * The owner of one account's records. It begins with the person's owner and a space, so that everything stored about the person can be
 * found.
 */
export function recordOwner(owner: string, account: string): string {
  return `${owner} ${account}`
}

/** One of a person's accounts. */
export interface AccountRef {
  readonly owner: string
  readonly profile: string
}

/** Grants that people have given this server, as text that the store encrypts. */
export interface GrantRows {
  /** Undefined if the person has not connected the account. Throws for a grant that no vault key decrypts. */
  readonly read: (account: AccountRef) => Promise<string | undefined>
  /** Stores or removes a remembered person's grant. Throws for a person who was never remembered, or has been forgotten. */
  readonly write: (account: AccountRef, grant: string | undefined) => Promise<void>
  readonly list: (owner: string) => Promise<readonly StoredGrant[]>
}

export interface StoredGrant {
  readonly profile: string
  /** Time at which the person first connected the account, in milliseconds since 1970. */
  readonly connectedAt: number
  /** Undefined for a grant that no vault key decrypts. */
  readonly grant: string | undefined
  /** Id of the vault key that the grant needs, if known. */
  readonly missingKey?: string
}

/** A person known to the server. Times are milliseconds since 1970. */
export interface KnownPerson extends Person {
  readonly owner: string
  readonly firstSeen: number
  readonly lastSeen: number
  readonly profiles: readonly string[]
}

/** A person about whom nothing is known, because no vault key decrypts their row. */
export interface UnreadablePerson {
  readonly owner: string
  /** Id of the vault key that the row needs, if known. */
  readonly missingKey?: string
}

/** The people who use a server, with the accounts they have connected. */
export interface PeopleStore {
  /** Returns a person's owner id, the same in every process that has the vault keys. */
  readonly ownerOf: (person: Person) => string
  /** Remembers a person; called before their grants are stored. */
  readonly remember: (person: Person) => Promise<void>
  readonly list: () => Promise<readonly KnownPerson[]>
  /** People whom `list` omits. */
  readonly listUnreadable: () => Promise<readonly UnreadablePerson[]>
  /**
   * Deletes everything stored about a person: their grants, and the expiring records and operation records of `owner` and of each account's
   * `recordOwner`. A token refresh that is running at the time cannot store their grants again.
   */
  readonly forget: (owner: string) => Promise<void>
  readonly grants: GrantRows
}

/** State that a multi-user server needs. */
export interface PeopleState {
  /** The database's location, for messages. */
  readonly location: string
  readonly people: PeopleStore
  readonly locks: Locks
  readonly records: ExpiringRecords
  /** Key that signs state passed through clients and browsers; the same in every process. */
  readonly stateKey: Uint8Array
}

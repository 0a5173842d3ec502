import type { ExpiringRecords, Locks } from './shared-state.ts'

/** A person of a company, as its identity provider identifies them. */
export interface Person {
  readonly issuer: string
  readonly subject: string
  /** Present for a service identity: an application that acts without a person. Its subject is its client id. */
  readonly isService?: true
}

/** Maker of a call, as the verified token says, and nothing else. */
export interface Caller extends Person {
  /** Identifies the person in stores; it says nothing about them to those who do not have the key. */
  readonly owner: string
  /** The client that the token was issued to. */
  readonly clientId: string
  /** `read`, `write` and `delete`, as far as the token permits them. */
  readonly permissions: readonly Permission[]
  /** The person's account that the call is for; `default` unless the path names another. */
  readonly profile: string
}

/** Permission of a token; each includes those before it. */
export type Permission = 'read' | 'write' | 'delete'

/**
 * Owner of records that belong to one account of a person. It begins with the person's owner and a space, so that everything about a person
 * can be found.
 */
export function recordOwner(owner: string, account: string): string {
  return `${owner} ${account}`
}

/** One account of one person. */
export interface AccountRef {
  readonly owner: string
  readonly profile: string
}

/** The grants that people have given to this server, as texts that the store encrypts. */
export interface GrantRows {
  /** Undefined when the person has not connected that account. Throws for a grant that no vault key opens. */
  readonly read: (account: AccountRef) => Promise<string | undefined>
  /** Stores a grant of a person who is remembered, or removes it. Throws for a person who is not, or was forgotten meanwhile. */
  readonly write: (account: AccountRef, grant: string | undefined) => Promise<void>
  readonly list: (owner: string) => Promise<readonly StoredGrant[]>
}

export interface StoredGrant {
  readonly profile: string
  /** When the person connected the account first, in milliseconds since 1970. */
  readonly connectedAt: number
  /** Undefined for one that no vault key opens. */
  readonly grant: string | undefined
  /** The id of the vault key that such a grant needs, if it is known. */
  readonly missingKey?: string
}

/** A person whom the server knows. Moments are milliseconds since 1970. */
export interface KnownPerson extends Person {
  readonly owner: string
  readonly firstSeen: number
  readonly lastSeen: number
  readonly profiles: readonly string[]
}

/** A person whose row no vault key opens. Who they are is not known. */
export interface UnreadablePerson {
  readonly owner: string
  /** The id of the vault key that the row needs, if it is known. */
  readonly missingKey?: string
}

/** The people who use a server, with the accounts that they have connected. */
export interface PeopleStore {
  /** The same for one person in every process that has the keys. */
  readonly ownerOf: (person: Person) => string
  /** Notes that a person is here, before their grants are stored. */
  readonly remember: (person: Person) => Promise<void>
  readonly list: () => Promise<readonly KnownPerson[]>
  /** Those who are not in the list. */
  readonly listUnreadable: () => Promise<readonly UnreadablePerson[]>
  /**
   * Deletes everything that is stored about a person: their grants, and the expiring records and records of operations of `owner` or of a
   * `recordOwner`. What refreshes their grants meanwhile cannot store them again.
   */
  readonly forget: (owner: string) => Promise<void>
  readonly grants: GrantRows
}

/** State that a server needs to act for many people. */
export interface PeopleState {
  /** Location, for messages. */
  readonly location: string
  readonly people: PeopleStore
  readonly locks: Locks
  readonly records: ExpiringRecords
  /** Signs state that travels through clients and browsers; the same in every process. */
  readonly stateKey: Uint8Array
}

import {
  type AccountRef,
  type KnownPerson,
  member,
  parseJson,
  type Person,
  type StoredGrant,
  stringMember,
  type UnreadablePerson,
} from '@mcp-toolkits/core/base'
import { openOrUndefined } from '@mcp-toolkits/sqlite'
import { type Sealer, vaultKeyId } from './sealer.ts'

/** Identifies a person in stores. Without the keys, the result reveals nothing about them. */
export function ownerOf({ issuer, subject, isService }: Person, sealer: Pick<Sealer, 'digest'>): string {
  // A client may have the same name as a person.
  return sealer.digest(JSON.stringify([isService ? 'service' : 'person', issuer, subject]))
}

/** A person as text for a store to seal. */
export const writePerson = ({ issuer, subject, isService }: Person): string => JSON.stringify({ issuer, subject, isService })

function readPerson(stored: string): Person {
  const value = parseJson(stored)
  const [issuer, subject] = [stringMember(value, 'issuer'), stringMember(value, 'subject')]
  if (issuer === undefined || subject === undefined) throw new Error('A stored person has no issuer or no subject.')
  return { issuer, subject, ...(member(value, 'isService') === true && { isService: true }) }
}

/** Context that sealed rows are bound to. */
export const personContext = (owner: string): string => JSON.stringify(['person', owner])
export const grantContext = ({ owner, profile }: AccountRef): string => JSON.stringify(['grant', owner, profile])

interface PersonRow extends Pick<KnownPerson, 'owner' | 'firstSeen' | 'lastSeen' | 'profiles'> {
  readonly sealed: Uint8Array
}

/** People whose rows can be decrypted, and people whose rows cannot. */
export function openPeopleRows(rows: readonly PersonRow[], sealer: Pick<Sealer, 'open'>) {
  const [known, unreadable]: [KnownPerson[], UnreadablePerson[]] = [[], []]
  for (const { sealed, ...row } of rows) {
    const person = openOrUndefined(() => sealer.open(sealed, personContext(row.owner)))
    if (person === undefined) unreadable.push({ owner: row.owner, ...missingKey(sealed) })
    else known.push({ ...readPerson(person), ...row })
  }
  return { known, unreadable }
}

interface GrantRow extends Pick<StoredGrant, 'connectedAt'> {
  readonly account: AccountRef
  readonly sealed: Uint8Array
}

export function openGrantRow({ account, connectedAt, sealed }: GrantRow, sealer: Pick<Sealer, 'open'>): StoredGrant {
  const grant = openOrUndefined(() => sealer.open(sealed, grantContext(account)))
  return { profile: account.profile, connectedAt, grant, ...(grant === undefined && missingKey(sealed)) }
}

function missingKey(sealed: Uint8Array): { readonly missingKey?: string } {
  const id = vaultKeyId(sealed)
  return id === undefined ? {} : { missingKey: id }
}

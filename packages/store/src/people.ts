import { parseJson, stringMember } from '@mcp-toolkits/core/json'
import type { AccountRef, Person } from '@mcp-toolkits/core/people'
import type { Sealer } from './sealer.ts'

/** Identifies a person in stores. It says nothing about them to those who do not have the keys. */
export function ownerOf({ issuer, subject }: Person, sealer: Pick<Sealer, 'digest'>): string {
  return sealer.digest(JSON.stringify(['person', issuer, subject]))
}

/** A person as the text that a store seals. */
export const writePerson = ({ issuer, subject }: Person): string => JSON.stringify({ issuer, subject })

/** The person that `writePerson` wrote. */
export function readPerson(stored: string): Person {
  const value = parseJson(stored)
  const [issuer, subject] = [stringMember(value, 'issuer'), stringMember(value, 'subject')]
  if (issuer === undefined || subject === undefined) throw new Error('A stored person has no issuer or no subject.')
  return { issuer, subject }
}

/** To what sealed rows are bound. */
export const personContext = (owner: string): string => JSON.stringify(['person', owner])
export const grantContext = ({ owner, profile }: AccountRef): string => JSON.stringify(['grant', owner, profile])

import type { Candidate } from '@mcp-toolkits/core/matching'
import type * as z from 'zod'
import type { Cycle } from '../linear/records.ts'

/** A record of any kind, as lists and look-ups find it. */
export interface Nameable {
  readonly id: string
  readonly name: string
  readonly key?: string
  /** Unique in a workspace, which a person's name is not. */
  readonly display_name?: string
  readonly email?: string
  readonly slug_id?: string
  readonly type?: string
  /** The group of a label, in which it is suggested: two groups can have labels of one name. */
  readonly parent?: { readonly name: string } | null | undefined
}

/** A record as what a reference to it can mean. */
export function candidate({ id, name: own, key, display_name: displayName, email, slug_id: slug, type, parent }: Nameable): Candidate {
  const names = parent ? { name: `${parent.name}/${own}`, shortName: own } : { name: own }
  return { id, ...names, key: key ?? displayName, email, slug, type }
}

/** A cycle is known by its number; many have no name. */
export function cycle({ id, name, number }: z.output<typeof Cycle>): Candidate {
  return { id, name: name ?? `Cycle ${number}`, key: String(number) }
}

import type { Candidate } from '@mcp-toolkits/core/matching'
import type * as z from 'zod'
import type { Label } from '../linear/issue-references.ts'
import type { Cycle, Member, ProjectRef } from '../linear/records.ts'

/** Linear's records as what a reference can mean. A display name is unique in a workspace, a name is not. */
export function person({ id, name, display_name: key, email }: z.output<typeof Member>): Candidate {
  return { id, name, key, email }
}

export function project({ id, name, slug_id: slug }: z.output<typeof ProjectRef>): Candidate {
  return { id, name, slug }
}

/** A label of a group can be written `group/label`, which tells it from a label of another group. */
export function label({ id, name, parent }: Label): Candidate {
  return { id, name, ...(parent && { key: `${parent.name}/${name}` }) }
}

/** A cycle is known by its number; many have no name. */
export function cycle({ id, name, number }: z.output<typeof Cycle>): Candidate {
  return { id, name: name ?? `Cycle ${number}`, key: String(number) }
}

/** A record of any kind, as lists and look-ups find it. */
export interface Named {
  readonly id: string
  readonly name: string
  readonly key?: string
  readonly email?: string
  readonly slug_id?: string
  /** The group of a label, in which it is suggested: two groups can have labels of one name. */
  readonly parent?: { readonly name: string } | null | undefined
}

/** A record as what a reference to it can mean. */
export function candidate({ id, name: own, key, email, slug_id: slug, parent }: Named): Candidate {
  const name = parent ? `${parent.name}/${own}` : own
  return { id, name, ...(key !== undefined && { key }), ...(email !== undefined && { email }), ...(slug !== undefined && { slug }) }
}

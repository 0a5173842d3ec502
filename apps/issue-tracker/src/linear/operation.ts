import type { LinearDocument as Linear } from '@linear/sdk'
import type * as z from 'zod'
import { fragments } from './fragments.ts'

/** A GraphQL operation, the variables that it declares and the schema of its data, in snake_case. */
export interface Operation<Vars extends object, Data extends z.ZodType> {
  readonly name: string
  readonly text: string
  readonly data: Data
  /** The type of the variables; never set. */
  readonly variables?: (variables: Vars) => void
}

/** The variables of a document that has none. */
type None = Readonly<Record<string, never>>

/** A value as it goes over the wire: a member of an enum is its text. */
type Plain<Value> = Value extends string ? `${Value}` : Value

/** An input whose fields may also be undefined where Linear lets them out; undefined stays out of the request. */
export type Given<Input> = {
  readonly [Key in keyof Input]: Partial<Pick<Input, Key>> extends Pick<Input, Key> ? Plain<Input[Key]> | undefined : Plain<Input[Key]>
}

/** The part of a list that is asked for: so many from the start, or behind Linear's cursor. */
export interface Paged {
  readonly first: number
  readonly after: string | undefined
}

/** Whether a team is looked up beside a list, and which. */
export interface TeamCheck {
  readonly team: Linear.TeamFilter | undefined
  readonly hasTeam: boolean
}

/**
 * Puts an operation together with the fragments that it uses, and those that they use. Values only ever go in as variables, whose
 * types are declared once, beside the document:
 *
 *     operation<{ id: string }>()('query GetCycle($id: String!) { … }', z.object({ … }))
 */
export function operation<Vars extends object = None>() {
  return function document<Data extends z.ZodType>(text: string, data: Data): Operation<Vars, Data> {
    const name = /^\s*(?:query|mutation)\s+(\w+)/.exec(text)?.[1]
    if (name === undefined) throw new Error('A document needs a named operation.')
    return { name, text: [text.trim(), ...used(text)].join('\n'), data }
  }
}

function used(text: string, seen = new Set<string>()): string[] {
  return [...text.matchAll(/\.\.\.\s*([A-Z]\w+)/g)].flatMap(([, name = '']) => {
    const fragment = fragments[name]
    if (fragment === undefined || seen.has(name)) return []
    seen.add(name)
    return [fragment, ...used(fragment, seen)]
  })
}

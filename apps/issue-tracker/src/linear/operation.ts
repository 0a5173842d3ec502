import type * as z from 'zod'
import { fragments } from './fragments.ts'

/** A GraphQL operation and the schema of its data, in snake_case. */
export interface Operation<Data extends z.ZodType> {
  readonly name: string
  readonly text: string
  readonly data: Data
}

/** Puts an operation together with the fragments that it uses, and those that they use. Values only ever go in as variables. */
export function operation<Data extends z.ZodType>(text: string, data: Data): Operation<Data> {
  const name = /^\s*(?:query|mutation)\s+(\w+)/.exec(text)?.[1]
  if (name === undefined) throw new Error('A document needs a named operation.')
  return { name, text: [text.trim(), ...used(text)].join('\n'), data }
}

function used(text: string, seen = new Set<string>()): string[] {
  return [...text.matchAll(/\.\.\.\s*([A-Z]\w+)/g)].flatMap(([, name = '']) => {
    const fragment = fragments[name]
    if (fragment === undefined || seen.has(name)) return []
    seen.add(name)
    return [fragment, ...used(fragment, seen)]
  })
}

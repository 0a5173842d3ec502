// Solutions of the tasks with other servers' tools.
import { isObject, parseJson } from '../../../packages/core/src/base/json.ts'

/** Calls one of the peer's tools, which must succeed. Returns the value of its JSON, or its text. */
export type PeerCall = (tool: string, args?: object) => Promise<unknown>

/** The calls of an agent that makes no mistake, or what the peer lacks. */
export type PeerSolution = string | ((call: PeerCall) => Promise<string>)

/** Solutions by task id; a missing task was not tried. */
export type PeerSolutions = Readonly<Record<string, PeerSolution>>

type Row = Readonly<Record<string, unknown>>

/** All objects in a value, however deep, from the outside in. */
export function objectsIn(value: unknown): Row[] {
  if (Array.isArray(value)) return value.flatMap(objectsIn)
  return isObject(value) ? [value, ...Object.values(value).flatMap(objectsIn)] : []
}

const names = ['name', 'title', 'identifier', 'key', 'email', 'body']

/** The id of the first object whose name contains these words. */
export function idOf(value: unknown, words: string): string {
  const found = objectsIn(value).find((row) => typeof row['id'] === 'string' && names.some((name) => String(row[name]).includes(words)))
  if (!found) throw new Error(`Nothing is called ${words}.`)
  return String(found['id'])
}

export const valueOf = (text: string): unknown => parseJson(text) ?? text

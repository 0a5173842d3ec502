import { type JsonObject, parseJson, stringAt, toObject } from '@mcp-toolkits/emulator'
import type { FieldResolver } from '../entities/entity-module.ts'
import { resolverOf, sdl } from '../entities/index.ts'
import type { Session } from '../store/session.ts'
import { objectIn, readInput } from './inputs.ts'
import { changeRow } from './operations/kinds.ts'
import { refuseRetiredLabels } from './operations/labels.ts'
import { readExtras } from './record-types.ts'
import { isRow } from './references.ts'
import { fieldType } from './schema.ts'

/** A mutation of the servers' that also stores the fields of its input for which they have no use. */
export const withExtras =
  (mutation: string, resolver: FieldResolver): FieldResolver =>
  (source, args, session) => {
    if (/^issue(?:Create|Update|AddLabel)$/.test(mutation)) refuseRetiredLabels(session, args)
    const payload = toObject(resolver(source, args, session))
    const found = Object.entries(payload).find(([, value]) => isRow(value))
    const entity = /^(\w+?)(?:Create|Update)$/.exec(mutation)?.[1]
    if (found === undefined || entity === undefined) return payload
    const [member, row] = found
    const changes = restOf(session, { mutation, type: entity.slice(0, 1).toUpperCase() + entity.slice(1), input: objectIn(args['input']) })
    return changes === undefined ? payload : { ...payload, [member]: changeRow(session, { ...changes, before: toObject(row) }) }
  }

interface Input {
  readonly mutation: string
  readonly type: string
  readonly input: JsonObject
}

/** What an input sets besides the fields that the servers' mutation reads, and that the entity shows. */
function restOf(session: Session, { mutation, type, input }: Input) {
  const read = servedInput(mutation)
  const isShown = (key: string) =>
    [key, key.replace(/Id$/, ''), key.replace(/Ids$/, 's')].some((field) => fieldType(type, field) !== undefined)
  const rest = Object.fromEntries(Object.entries(input).filter(([key]) => !read.has(key) && isShown(key)))
  return Object.keys(rest).length === 0 ? undefined : { type, changes: readInput(session, { mutation, type, input: rest }) }
}

const inputs = new Map<string, ReadonlySet<string>>()

/** The fields of the input of a mutation that the servers' schema declares. */
function servedInput(mutation: string): ReadonlySet<string> {
  const known = inputs.get(mutation)
  if (known !== undefined) return known
  const name = `${mutation.slice(0, 1).toUpperCase()}${mutation.slice(1)}Input`
  const fields = new RegExp(`^input ${name} \\{([^}]*)\\}`, 'm').exec(sdl)?.[1] ?? ''
  const found = new Set([...fields.matchAll(/\b(\w+):/g)].map(([, field = '']) => field))
  inputs.set(mutation, found)
  return found
}

/** A field that an input may set, and that is computed until it does. */
export const storedOr =
  (type: string, field: string): FieldResolver =>
  (source, args, session) =>
    toObject(parseJson(readExtras(session.store, stringAt(source, 'id')) ?? '{}'))[field] ??
    resolverOf(type, field)?.(source, args, session)

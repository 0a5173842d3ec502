import { type JsonObject, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import { badArgument, notFound } from '../errors.ts'
import { isUuid } from '../ids.ts'
import type { Entity } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { fieldsOf, fieldType, isList, isRequired, kindOf, nameOf, valuesOf, type VendorField } from '../vendor/declarations.ts'
import { optionalDay, optionalTime, requiredEntity } from './inputs.ts'

/** A mutation's input, which sets columns of an entity of `type`. */
export interface InputOf {
  readonly mutation: string
  readonly type: string
  readonly input: JsonObject
}

function inputFields(mutation: string): ReadonlyMap<string, VendorField> {
  const type = fieldsOf('Mutation').get(mutation)?.args.get('input')
  if (type === undefined) throw new Error(`${mutation} has no input.`)
  return fieldsOf(nameOf(type))
}

/** The columns set by an input. Throws for empty required strings and for missing entities. */
export function readInput(session: Session, { mutation, type, input }: InputOf): Changes {
  const fields = [...inputFields(mutation)].filter(([name]) => name !== 'id' && input[name] !== undefined)
  const needed = fieldsOf(`${type}CreateInput`)
  return Object.fromEntries(
    fields.map(([name, field]) => {
      const isNeeded = isRequired(field.type) || isRequired(needed.get(name)?.type ?? '')
      return [name, columnValue(session, { name, field: field.type, isNeeded, type, input })]
    }),
  )
}

interface InputValue {
  readonly name: string
  /** The field's type, in SDL. */
  readonly field: string
  /** True if a new entity needs the field. */
  readonly isNeeded: boolean
  readonly type: string
  readonly input: JsonObject
}

function columnValue(session: Session, { name, field, isNeeded, type, input }: InputValue): string | number | boolean | null | undefined {
  const value = input[name]
  if (value === null) {
    if (isRequired(field)) throw badArgument(`${name} should not be empty.`)
    return isNeeded ? undefined : null
  }
  const named = nameOf(field)
  if (name.endsWith('Ids')) {
    const ids = stringsIn(value).map((id) =>
      referenceId(session, { type, field: name.replace(/Ids$/, 's'), id, key: `each value in ${name}` }),
    )
    return JSON.stringify([...new Set(ids)])
  }
  if (isList(field) || kindOf(named) === 'input' || named.startsWith('JSON')) return JSON.stringify(value)
  if (named === 'DateTime') return optionalTime(input, name, session.now)
  if (named === 'TimelessDate') return optionalDay(input, name, session.now)
  if (typeof value === 'string' && name.endsWith('Id'))
    return referenceId(session, { type, field: name.slice(0, -'Id'.length), id: value, key: name })
  if (typeof value === 'string' && isNeeded && value.trim() === '') throw badArgument(`${name} should not be empty.`)
  checkEnumeration(type, name, value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : stringAt(input, name)
}

/** Refuses an invalid value for an enumerated text field. */
function checkEnumeration(type: string, name: string, value: unknown): void {
  const values = valuesOf(fieldType(type, name) ?? '')
  if (values === undefined || typeof value !== 'string') return
  if (!values.includes(value)) throw badArgument(`${name} must be one of ${values.join(', ')}.`)
}

interface Reference {
  readonly type: string
  readonly field: string
  readonly id: string
  readonly key: string
}

/** The id of an entity referred to in an input field. The entity must exist if its type is emulated. */
function referenceId(session: Session, { type, field, id, key }: Reference): string {
  const target = fieldType(type, field)?.replace(/Connection$/, '')
  if (target === undefined || session.entityTypes.get(target) === undefined) return id
  return stringAt(target === 'Issue' ? findIssue(session, id) : requiredEntity(session, target, id, key), 'id')
}

/** Finds an issue by UUID or by a current or previous identifier, ignoring case. */
export function findIssue(session: Session, reference: string): Entity {
  if (isUuid(reference)) return session.get('Issue', reference.toLowerCase())
  const identifier = reference.toUpperCase()
  const found =
    session.select('Issue', 'where a.identifier = :identifier', { identifier })[0] ??
    session.select('Issue', 'where a.id in (select issueId from formerIdentifiers where identifier = :identifier)', { identifier })[0]
  if (found === undefined) throw notFound('Issue')
  return found
}

import { type JsonObject, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import { badArgument, notFound } from '../errors.ts'
import { isUuid } from '../ids.ts'
import type { Entity } from '../store/entity-type.ts'
import type { Changes, Session } from '../store/session.ts'
import { fieldsOf, fieldType, isList, isRequired, kindOf, nameOf, valuesOf, type VendorField } from '../vendor/declarations.ts'
import { parseDay, parseTime } from '../store/filters.ts'
import { requiredEntity, withoutUndefined } from './inputs.ts'

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

/** The columns that an input sets. Throws for empty required strings and for missing entities. */
export function readInput(session: Session, { mutation, type, input }: InputOf): Changes {
  const fields = [...inputFields(mutation)].filter(([name]) => name !== 'id' && input[name] !== undefined)
  const needed = fieldsOf(`${type}CreateInput`)
  const values = fields.map(([name, field]) => {
    const isNeeded = isRequired(field.type) || isRequired(needed.get(name)?.type ?? '')
    return [name, columnValue(session, { name, field: field.type, isNeeded, type, input })] as const
  })
  return withoutUndefined(Object.fromEntries(values))
}

interface InputValue extends Pick<InputOf, 'type' | 'input'> {
  readonly name: string
  /** The field's type, in SDL. */
  readonly field: string
  /** True if a new entity needs the field. */
  readonly isNeeded: boolean
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
  if (named === 'DateTime') return parseTime(value, session.now)
  if (named === 'TimelessDate') return parseDay(value, session.now)
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

/** The id of an entity referred to in an input field. The entity must exist if its type is emulated. */
function referenceId(session: Session, { type, field, id, key }: Readonly<Record<'type' | 'field' | 'id' | 'key', string>>): string {
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

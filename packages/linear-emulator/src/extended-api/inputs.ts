import { isObject, type JsonObject, stringAt, stringsIn } from '@mcp-toolkits/emulator'
import { getNamedType, getNullableType, type GraphQLInputField, isEnumType, isInputObjectType, isListType, isNonNullType } from 'graphql'
import { findIssue } from '../entities/issues.ts'
import { badArgument } from '../errors.ts'
import { optionalDay, optionalTime, requiredEntity } from '../inputs.ts'
import type { Changes, Session } from '../store/session.ts'
import { entityTypes, fieldType, vendorSchema } from './schema.ts'

/** An object that may be absent. */
export const objectIn = (value: unknown): JsonObject => (isObject(value) ? value : {})

/** The type of an input of a mutation. */
function inputTypeOf(mutation: string) {
  const field = vendorSchema().getMutationType()?.getFields()[mutation]
  const argument = field?.args.find(({ name }) => name === 'input')
  const type = argument && getNamedType(argument.type)
  if (!isInputObjectType(type)) throw new Error(`${mutation} has no input.`)
  return type
}

/** The columns that the input of a mutation sets on an entity of `type`. Throws for empty required texts and for missing entities. */
export function readInput(
  session: Session,
  { mutation, type, input }: { readonly mutation: string; readonly type: string; readonly input: JsonObject },
): Changes {
  const fields = Object.values(inputTypeOf(mutation).getFields()).filter(({ name }) => name !== 'id' && input[name] !== undefined)
  return Object.fromEntries(fields.map((field) => [field.name, columnValue(session, { field, type, input })]))
}

interface InputValue {
  readonly field: GraphQLInputField
  readonly type: string
  readonly input: JsonObject
}

function columnValue(session: Session, { field, type, input }: InputValue): string | number | boolean | null | undefined {
  const { name } = field
  const value = input[name]
  if (value === null) {
    if (isNonNullType(field.type)) throw badArgument(`${name} should not be empty.`)
    return null
  }
  const scalar = getNamedType(field.type).name
  if (name.endsWith('Ids'))
    stringsIn(value).forEach((each) => referenceId(session, { type, field: name.replace(/Ids$/, 's'), id: each, key: name }))
  if (isListType(getNullableType(field.type)) || isInputObjectType(getNamedType(field.type)) || scalar.startsWith('JSON'))
    return JSON.stringify(value)
  if (scalar === 'DateTime') return optionalTime(input, name, session.now)
  if (scalar === 'TimelessDate') return optionalDay(input, name, session.now)
  if (typeof value === 'string' && name.endsWith('Id'))
    return referenceId(session, { type, field: name.slice(0, -'Id'.length), id: value, key: name })
  if (typeof value === 'string' && isNonNullType(field.type) && value.trim() === '') throw badArgument(`${name} should not be empty.`)
  checkEnumeration(type, name, value)
  return typeof value === 'number' || typeof value === 'boolean' ? value : stringAt(input, name)
}

/** Inputs take some texts that entities have as one of several values. */
function checkEnumeration(type: string, name: string, value: unknown): void {
  const declared = vendorSchema().getType(fieldType(type, name) ?? '')
  if (!isEnumType(declared) || typeof value !== 'string') return
  const values = declared.getValues().map((each) => each.name)
  if (!values.includes(value)) throw badArgument(`${name} must be one of ${values.join(', ')}.`)
}

interface Reference {
  readonly type: string
  readonly field: string
  readonly id: string
  readonly key: string
}

/** The id of an entity that a field of an input refers to, which must exist where its type is emulated. */
function referenceId(session: Session, { type, field, id, key }: Reference): string {
  const target = fieldType(type, field)?.replace(/Connection$/, '')
  if (target === undefined || entityTypes.get(target) === undefined) return id
  if (target === 'Issue') return stringAt(findIssue(session, id), 'id')
  return stringAt(requiredEntity(session, target, id, key), 'id')
}

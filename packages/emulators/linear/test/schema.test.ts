import { LinearDocument } from '@linear/sdk'
import { isAbstractType, isEnumType, isInputObjectType, isInterfaceType, isIntrospectionType, isObjectType, parse, validate } from 'graphql'
import { expect, it } from 'vitest'
import { documentSchema, vendorSchema } from '../src/graphql/document-schema.ts'
import { fieldsOf, interfacesOf, kindOf, loadDeclarations, possibleTypes, valuesOf } from '../src/vendor/declarations.ts'
import { documents } from './documents.ts'

await loadDeclarations()
const full = vendorSchema()
const types = Object.values(full.getTypeMap()).filter((type) => !isIntrospectionType(type))

/** A type's fields, with their types and arguments. */
function fieldsIn(type: unknown): (readonly [name: string, type: string, args: string[][]])[] {
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => [field.name, String(field.type), []])
  if (!isObjectType(type) && !isInterfaceType(type)) return []
  return Object.values(type.getFields()).map((field) => [
    field.name,
    String(field.type),
    field.args.map((arg) => [arg.name, String(arg.type)]),
  ])
}

/** A type's fields, with their types. */
const fieldNames = (type: unknown): string[] => fieldsIn(type).map(([name, fieldType]) => `${name}: ${fieldType}`)

const named = (all: readonly { readonly name: string }[]) => all.map(({ name }) => name).toSorted()

it('the declarations are those of the vendor’s schema', () => {
  expect(types.length).toBeGreaterThan(1200)
  for (const type of types) {
    expect(
      [...fieldsOf(type.name)].map(([name, field]) => [name, field.type, [...field.args]]),
      type.name,
    ).toEqual(fieldsIn(type))
    if (isEnumType(type)) expect(valuesOf(type.name)).toEqual(type.getValues().map(({ name }) => name))
    if (isAbstractType(type)) expect(possibleTypes(type.name).toSorted(), type.name).toEqual(named(full.getPossibleTypes(type)))
    if (isObjectType(type)) expect(interfacesOf(type.name).toSorted()).toEqual(named(type.getInterfaces()))
  }
  expect(['Issue', 'IssueFilter', 'Node', 'DateTime', 'String', 'Day', 'DataWebhookPayload'].map(kindOf)).toEqual([
    ...['type', 'input', 'interface', 'scalar', 'scalar', 'enum', 'union'],
  ])
})

const official = Object.entries(LinearDocument).flatMap(([name, text]: [string, unknown]) =>
  name.endsWith('Document') && text instanceof String ? [[name, text.valueOf()] as const] : [],
)

it('each document has a part of the schema for which it is valid', () => {
  expect(official).toHaveLength(674)
  for (const [name, text] of [...documents, ...official]) {
    const document = parse(text, { noLocation: true })
    const part = documentSchema(document, new Set(['id', 'name', 'filter', 'eq', 'and']))
    if (part === undefined) throw new Error(`${name} has no schema.`)
    expect(
      validate(part, document).map(({ message }) => message),
      name,
    ).toEqual([])
    for (const type of Object.values(part.getTypeMap()).filter((each) => !isIntrospectionType(each)))
      expect(fieldNames(full.getType(type.name)), `${name} ${type.name}`).toEqual(expect.arrayContaining(fieldNames(type)))
  }
})

it('a document that is not valid has no schema, or one for which it is not', () => {
  const problems = [
    '{ issue(id: "1") { colour } }',
    '{ unknown }',
    '{ __schema { types { name } } }',
    '{ issue(id: "1") { ...missing } }',
    '{ issue }',
    '{ issue(id: "1") { state } }',
    '{ issue(id: "1", of: 2) { id } }',
    '{ issues(filter: { colour: { eq: "red" } }) { nodes { id } } }',
    '{ issues(filter: { title: { eq: 1 } }) { nodes { id } } }',
    'query($filter: Issue) { issues(filter: $filter) { nodes { id } } }',
    'query($filter: Filter) { issues(filter: $filter) { nodes { id } } }',
    'mutation { issueCreate(input: { title: "A" }) { success } }',
    '{ notifications { nodes { ... on Issue { id } } } }',
    'subscription { issue { id } }',
  ]
  for (const text of problems) {
    const document = parse(text)
    const part = documentSchema(document, new Set())
    expect(part === undefined || validate(part, document).length > 0, text).toBe(true)
  }
})

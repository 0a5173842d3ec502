import { LinearDocument } from '@linear/sdk'
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  Kind,
  parse,
  validate,
  type DocumentNode,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { sdl } from '../src/entities.ts'
import { documents } from './documents.ts'
import { readDeclarations } from '../src/vendor/vendor-schema.ts'

const schema = buildSchema(sdl)
const { types: declared, enums: vendorEnums } = readDeclarations()
const vendorTypes = new Map([...declared].map(([name, { fields }]) => [name, fields]))
const types = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type))

const vendorTypesIgnoringCase = new Map([...vendorTypes].map(([name, fields]) => [name.toLowerCase(), fields]))

/** The arguments of `issueCreate` of `Mutation` are `MutationIssueCreateArgs`; the client writes abbreviations in lower case. */
const argumentsOf = (type: string, field: string) => vendorTypesIgnoringCase.get(`${type}${field}Args`.toLowerCase())

/** Types that the declarations do not give as a name. */
const isUnnamed = (type: string | undefined) => type !== undefined && /["|]/.test(type)

function typesOf(type: GraphQLInputObjectType | GraphQLObjectType | GraphQLInterfaceType): (readonly [string, string])[] {
  if (isInputObjectType(type)) return Object.values(type.getFields()).map((field) => [field.name, String(field.type)])
  return Object.values(type.getFields()).map((field) => [field.name, String(field.type)])
}

function differences(type: GraphQLNamedType): string[] {
  if (isEnumType(type)) {
    const values = type.getValues().map(({ name }) => name)
    return String(values.toSorted()) === String(vendorEnums.get(type.name)?.toSorted()) ? [] : [`enum ${type.name}`]
  }
  if (!isObjectType(type) && !isInterfaceType(type) && !isInputObjectType(type)) return []
  const vendor = vendorTypes.get(type.name)
  const ofFields = typesOf(type).flatMap(([name, ours]) => {
    const theirs = vendor?.get(name)
    return theirs === ours || isUnnamed(theirs) ? [] : [`${type.name}.${name}: ${ours}, not ${theirs ?? 'there'}`]
  })
  if (isInputObjectType(type)) return ofFields
  const ofArguments = Object.values(type.getFields()).flatMap(({ name, args }) =>
    args
      .filter((arg) => argumentsOf(type.name, name)?.get(arg.name) !== String(arg.type))
      .map((arg) => `${type.name}.${name}(${arg.name})`),
  )
  return [...ofFields, ...ofArguments]
}

/** Fields and arguments that the vendor requires and we lack. */
function missingFields(type: GraphQLNamedType): string[] {
  const requires = (fields: ReadonlyMap<string, string> | undefined, ours: readonly string[]) =>
    [...(fields ?? [])].filter(([name, type]) => type.endsWith('!') && !ours.includes(name)).map(([name]) => `${type.name}: ${name}`)
  if (isInputObjectType(type)) return requires(vendorTypes.get(type.name), Object.keys(type.getFields()))
  if (!isObjectType(type)) return []
  return Object.values(type.getFields()).flatMap((field) =>
    requires(
      argumentsOf(type.name, field.name),
      field.args.map(({ name }) => name),
    ),
  )
}

/** True if every root field is in the schema. Validation would find the others too, but slowly. */
const selectsOurRootFields = ({ definitions }: DocumentNode) =>
  definitions.every((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION) return true
    const rootFields = schema.getRootType(definition.operation)?.getFields() ?? {}
    return definition.selectionSet.selections.every((field) => field.kind !== Kind.FIELD || field.name.value in rootFields)
  })

describe('the supported part of the schema', () => {
  it('agrees with the types that the official client declares', () => {
    expect(vendorTypes.size).toBeGreaterThan(1000)
    expect(types.flatMap(differences)).toEqual([])
    expect(types.flatMap(missingFields)).toEqual([])
  })

  it('supports every document', () => {
    const problems = [...documents].flatMap(([name, text]) => validate(schema, parse(text)).map(({ message }) => `${name}: ${message}`))
    expect(problems).toEqual([])
  })

  it('supports 116 documents of the official client', () => {
    const supported = Object.entries(LinearDocument).flatMap(([name, text]: [string, unknown]) => {
      if (!name.endsWith('Document') || !(text instanceof String)) return []
      const document = parse(text.valueOf(), { noLocation: true })
      return selectsOurRootFields(document) && validate(schema, document, undefined, { maxErrors: 1 }).length === 0 ? [name] : []
    })
    expect(supported).toEqual(
      expect.arrayContaining([
        'ViewerDocument',
        'IssuesDocument',
        'IssueDocument',
        'CreateIssueDocument',
        'NotificationsDocument',
        'UpdateProjectDocument',
      ]),
    )
    expect(supported).toHaveLength(116)
  })
})

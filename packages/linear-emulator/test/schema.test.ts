import { LinearDocument } from '@linear/sdk'
import {
  buildSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isObjectType,
  parse,
  validate,
  type GraphQLInputObjectType,
  type GraphQLInterfaceType,
  type GraphQLNamedType,
  type GraphQLObjectType,
} from 'graphql'
import { describe, expect, it } from 'vitest'
import { sdl } from '../src/entities/index.ts'
import { documents } from './documents.ts'
import { vendorEnums, vendorTypes } from './sdk-schema.ts'

const schema = buildSchema(sdl)
const all = Object.values(schema.getTypeMap()).filter((type) => !isIntrospectionType(type))

/** `issueCreate` of `Mutation` takes `MutationIssueCreateArgs`; the client writes abbreviations in its own way. */
const argumentsOf = (type: string, field: string) => {
  const wanted = `${type}${field}Args`.toLowerCase()
  return [...vendorTypes].find(([name]) => name.toLowerCase() === wanted)?.[1]
}

/** Fields whose types the declarations give as something else than a name. */
const untold = (type: string | undefined) => type !== undefined && /["|]/.test(type)

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
    return theirs === ours || untold(theirs) ? [] : [`${type.name}.${name}: ${ours}, not ${theirs ?? 'there'}`]
  })
  if (isInputObjectType(type)) return ofFields
  const ofArguments = Object.values(type.getFields()).flatMap(({ name, args }) =>
    args
      .filter((arg) => argumentsOf(type.name, name)?.get(arg.name) !== String(arg.type))
      .map((arg) => `${type.name}.${name}(${arg.name})`),
  )
  return [...ofFields, ...ofArguments]
}

/** What the vendor requires in an input or of a field's arguments, and we do not know. */
function missing(type: GraphQLNamedType): string[] {
  const requires = (fields: ReadonlyMap<string, string> | undefined, ours: readonly string[]) =>
    [...(fields ?? [])].filter(([name, wanted]) => wanted.endsWith('!') && !ours.includes(name)).map(([name]) => `${type.name}: ${name}`)
  if (isInputObjectType(type)) return requires(vendorTypes.get(type.name), Object.keys(type.getFields()))
  if (!isObjectType(type)) return []
  return Object.values(type.getFields()).flatMap((field) =>
    requires(
      argumentsOf(type.name, field.name),
      field.args.map(({ name }) => name),
    ),
  )
}

describe('the supported part of the schema', () => {
  it('agrees with the types that the official client declares', () => {
    expect(vendorTypes.size).toBeGreaterThan(1000)
    expect(all.flatMap(differences)).toEqual([])
    expect(all.flatMap(missing)).toEqual([])
  })

  it('supports every document', () => {
    const problems = [...documents].flatMap(([name, text]) => validate(schema, parse(text)).map(({ message }) => `${name}: ${message}`))
    expect(problems).toEqual([])
  })

  it('supports 116 documents of the official client', () => {
    const carried = Object.entries(LinearDocument).flatMap(([name, text]: [string, unknown]) => {
      const isDocument = name.endsWith('Document') && text instanceof String
      return isDocument && validate(schema, parse(text.valueOf())).length === 0 ? [name] : []
    })
    expect(carried).toEqual(
      expect.arrayContaining([
        'ViewerDocument',
        'IssuesDocument',
        'IssueDocument',
        'CreateIssueDocument',
        'NotificationsDocument',
        'UpdateProjectDocument',
      ]),
    )
    expect(carried).toHaveLength(116)
  })
})

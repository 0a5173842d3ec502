import type { JsonObject } from '@mcp-toolkits/emulator'
import {
  getNamedType,
  getNullableType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isLeafType,
  isListType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
} from 'graphql'
import { behaviors } from '../../src/entities.ts'
import { vendorSchema } from '../../src/graphql/document-schema.ts'
import { loadDeclarations } from '../../src/vendor/declarations.ts'

await loadDeclarations()
const schema = vendorSchema()
export const queries = schema.getQueryType()?.getFields() ?? {}
export const mutations = schema.getMutationType()?.getFields() ?? {}

/** The queries or mutations that are emulated. */
export const behaving = (kind: 'Query' | 'Mutation'): readonly string[] =>
  [...behaviors()].filter((key) => key.startsWith(`${kind}.`)).map((key) => key.slice(kind.length + 1))

/** Fields that inputs need, although their types do not require them. */
const needed: Readonly<Record<string, readonly string[]>> = {
  CommentCreateInput: ['body', 'issueId'],
  CustomerNeedCreateInput: ['issueId'],
  IssueCreateInput: ['title'],
  CustomerUpsertInput: ['name'],
  FavoriteCreateInput: ['issueId'],
  NotificationSubscriptionCreateInput: ['teamId'],
  ProjectUpdateCreateInput: ['body'],
  ReactionCreateInput: ['issueId'],
  WebhookCreateInput: ['teamId'],
}

/** Values for inputs that do not take every value of the right type. */
const particular: JsonObject = {
  url: 'https://a.example/',
  resourceTypes: ['Issue'],
  endsAt: '2099-02-01T00:00:00.000Z',
  startsAt: '2099-01-01T00:00:00.000Z',
  size: 1,
  action: 'assign',
  email: 'a@b.example',
}

const types: Readonly<Record<string, unknown>> = {
  Boolean: true,
  Int: 1,
  Float: 1,
  DateTime: '2099-01-01T00:00:00.000Z',
  TimelessDate: '2099-01-01',
  Duration: 'P1D',
  UUID: '',
  JSON: {},
  JSONObject: {},
}

/** The ids of existing entities, by the prefix of the fields that refer to them. */
export type Ids = Readonly<Record<string, string>>

/** A value that a type accepts; ids are those of existing entities. */
export function sample(name: string, type: GraphQLInputType, ids: Ids): unknown {
  const nullable = getNullableType(type)
  if (name in particular) return particular[name]
  if (isListType(nullable)) return [sample(name.replace(/s$/, ''), nullable.ofType, ids)]
  const named = getNamedType(type)
  if (isEnumType(named)) return named.getValues()[0]?.value
  if (isInputObjectType(named)) return sampleInput(named.name, ids)
  const reference = /^(?:new|original)?(\w+?)Id$/.exec(name)?.[1]
  if (reference !== undefined && reference !== '') return ids[reference.slice(0, 1).toLowerCase() + reference.slice(1)] ?? ids['issue']
  if (name === 'type') return 'started'
  return types[named.name] ?? `sample ${name}`
}

/** An input with the fields that it needs. */
export function sampleInput(type: string, ids: Ids): JsonObject {
  const declared = schema.getType(type)
  if (!isInputObjectType(declared)) return {}
  const fields = Object.values(declared.getFields()).filter(
    (field) => isRequiredInputField(field) || needed[type]?.includes(field.name) === true,
  )
  return Object.fromEntries(fields.map((field) => [field.name, sample(field.name, field.type, ids)]))
}

/** Every scalar in an object, and one level below it. */
function selectionOf(type: string, depth = 2): string {
  const declared = schema.getType(type)
  if (isInterfaceType(declared)) return 'id' in declared.getFields() ? '__typename id' : '__typename'
  if (!isObjectType(declared)) return '__typename'
  const fields = Object.values(declared.getFields()).filter(({ args }) => !args.some(isRequiredArgument))
  const selected = fields.flatMap((field) => {
    const named = getNamedType(field.type)
    if (isLeafType(named)) return [field.name]
    if (named.name.endsWith('Connection') || depth === 0) return []
    return [`${field.name} { ${depth === 1 ? '__typename' : selectionOf(named.name, depth - 1)} }`]
  })
  return ['__typename', ...selected].join(' ')
}

export interface SampleOperation {
  readonly text: string
  readonly variables: JsonObject
}

/** An operation with the arguments that it needs. */
export function sampleOperation(kind: 'query' | 'mutation', name: string, given: JsonObject, ids: Ids): SampleOperation {
  const field = (kind === 'query' ? queries : mutations)[name]
  if (field === undefined) throw new Error(name)
  const args = field.args.filter((arg) => isRequiredArgument(arg) || arg.name in given)
  const variables = Object.fromEntries(args.map((arg) => [arg.name, given[arg.name] ?? sample(arg.name, arg.type, ids)]))
  const parameters = args.length === 0 ? '' : `(${args.map((arg) => `$${arg.name}: ${String(arg.type)}`).join(', ')})`
  const passed = args.length === 0 ? '' : `(${args.map((arg) => `${arg.name}: $${arg.name}`).join(', ')})`
  const named = getNamedType(field.type)
  const isConnection = named.name.endsWith('Connection')
  const selection = isLeafType(named)
    ? ''
    : isConnection
      ? '{ nodes { __typename } pageInfo { hasNextPage } }'
      : `{ ${selectionOf(named.name)} }`
  return { text: `${kind}${parameters} { ${name}${passed} ${selection} }`, variables }
}

/** Values for text that inputs check, by field name. */
const texts: Readonly<Record<string, readonly unknown[]>> = {
  action: ['assign', 'notify'],
  anchorType: ['start', 'end'],
  key: ['CHG'],
  logoUrl: ['https://changed.example/logo.png'],
  pullRequestIssueMode: ['suggest'],
  relatedAnchorType: ['start', 'end'],
  resourceTypes: ['Comment'],
  slackProjectChannelPrefix: ['proj-'],
  type: ['related', 'completed', 'milestone'],
  url: ['https://changed.example/'],
  urlKey: ['changed'],
}

const scalars: Readonly<Record<string, readonly unknown[]>> = {
  Boolean: [true, false],
  Int: [3, 2],
  Float: [3, 2],
  DateTime: ['2099-01-15T00:00:00.000Z', '2098-12-01T00:00:00.000Z', '2099-03-01T00:00:00.000Z'],
  TimelessDate: ['2098-01-01'],
  JSON: [{ changed: true }],
  JSONObject: [{ changed: true }],
  Duration: ['P2D'],
}

function valuesOf(type: GraphQLNamedType): readonly unknown[] {
  if (isEnumType(type)) return type.getValues().map(({ name }) => name)
  return isInputObjectType(type) ? [someField(type)] : (scalars[type.name] ?? ['Changed'])
}

/** An object with one field. */
function someField(type: GraphQLInputObjectType): JsonObject {
  const fields = Object.values(type.getFields()).filter((field) => !isListType(getNullableType(field.type)))
  const isPlain = (field: GraphQLInputField) => isLeafType(getNamedType(field.type)) || getNamedType(field.type).name.endsWith('Comparator')
  const chosen = fields.find(isPlain) ?? fields[0]
  return chosen === undefined ? {} : { [chosen.name]: valuesOf(getNamedType(chosen.type))[0] }
}

/** Values that an input field may take, the likeliest first. */
export function sampleValues({ name, type }: GraphQLInputField): readonly unknown[] {
  const named = getNamedType(type)
  const values = (named.name === 'String' ? texts[name] : undefined) ?? valuesOf(named)
  return isListType(getNullableType(type)) ? values.slice(0, 1).map((value) => [value]) : values
}

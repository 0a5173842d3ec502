import type { JsonObject } from '@mcp-toolkits/emulator'
import {
  getNamedType,
  getNullableType,
  type GraphQLInputField,
  type GraphQLInputObjectType,
  type GraphQLNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
} from 'graphql'

/** Values for texts that inputs check, by their names. */
const texts: Readonly<Record<string, readonly unknown[]>> = {
  action: ['assign', 'notify'],
  anchorType: ['start', 'end'],
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

/** Values that a field of an input may take, the likeliest first. */
export function sampleValues({ name, type }: GraphQLInputField): readonly unknown[] {
  const named = getNamedType(type)
  const values = (named.name === 'String' ? texts[name] : undefined) ?? valuesOf(named)
  return isListType(getNullableType(type)) ? values.slice(0, 1).map((value) => [value]) : values
}

import * as z from 'zod'
import { isObject, type JsonObject } from '../json.ts'
import { toJsonSchema } from '../json-schema.ts'
import { type Vocabulary, vocabularyOf } from './vocabulary.ts'

/** A parameter of a tool, or an item of one that is a list. */
export interface Parameter {
  readonly name: string
  /** What is published of it, without alternatives: the schema of one value where it takes one value or a list. */
  readonly json: JsonObject
  readonly vocabulary: Vocabulary
  readonly isRequired: boolean
  readonly accepts: (value: unknown) => boolean
  /** One of its items; undefined where it takes no list. */
  readonly item?: Parameter
}

/** The parameters of a tool, in their order. */
export function parametersOf(input: z.ZodObject): readonly Parameter[] {
  const { properties, required } = toJsonSchema(input)
  const published = isObject(properties) ? properties : {}
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  return Object.entries(shape).map(([name, schema]) =>
    parameterOf(published[name], {
      name,
      vocabulary: vocabularyOf(schema),
      isRequired: names.includes(name),
      accepts: onceForEach((value) => value !== undefined && z.safeParse(schema, value).success),
    }),
  )
}

/** The check with its results kept: the schema of a long list takes a while. */
function onceForEach(check: (value: unknown) => boolean): (value: unknown) => boolean {
  const results = new Map<unknown, boolean>()
  return (value) => {
    const result = results.get(value) ?? check(value)
    results.set(value, result)
    return result
  }
}

function parameterOf(schema: unknown, rest: Omit<Parameter, 'json' | 'item'>): Parameter {
  const published = isObject(schema) ? schema : {}
  const alternatives: readonly unknown[] = Array.isArray(published['anyOf']) ? published['anyOf'] : [published]
  const all = alternatives.filter(isObject)
  const list = all.find(({ type }) => type === 'array')
  const json = all.find((each) => each !== list) ?? { type: 'array' }
  if (!list) return { ...rest, json: all.length > 1 ? {} : json }
  const accepts = (value: unknown) => rest.accepts([value])
  return { ...rest, json, item: parameterOf(list['items'], { ...rest, accepts }) }
}

/** The values of an enumeration; none where any value of the type is accepted. */
export function allowedValues({ json }: Parameter): readonly unknown[] {
  if ('const' in json) return [json['const']]
  return Array.isArray(json['enum']) ? json['enum'] : []
}

import * as z from 'zod'

/** A JSON Schema as a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>

const published = z.registry<JsonSchema>()

/**
 * Publishes `json` in place of what `schema` accepts, for parameters that understand more than they promise: models send
 * `true` where a string is documented, and are understood; the documentation stays as it is.
 */
export function withJsonSchema<Schema extends z.ZodType>(schema: Schema, json: JsonSchema): Schema {
  published.add(schema, json)
  return schema
}

/** The JSON Schema that callers of `schema` are shown. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const json: Record<string, unknown> = z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const replacement = published.get(zodSchema)
      if (replacement) {
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key)
        Object.assign(jsonSchema, replacement)
      }
      for (const bound of ['minimum', 'maximum'] as const) {
        if (Math.abs(Number(jsonSchema[bound])) === Number.MAX_SAFE_INTEGER) Reflect.deleteProperty(jsonSchema, bound)
      }
      // That a text must not be empty goes without saying; who sends an empty one is told.
      if (jsonSchema['minLength'] === 1) Reflect.deleteProperty(jsonSchema, 'minLength')
    },
  })
  delete json['$schema']
  return json
}

import * as z from 'zod'
import type { Message } from '../errors/message.ts'

/** A JSON Schema as a plain object. */
export type JsonSchema = Readonly<Record<string, unknown>>

const replacements = z.registry<JsonSchema>()

/**
 * Publishes `json` instead of the schema, for parameters that accept more than they document: models send `true` for a parameter documented
 * as a string.
 */
export function withJsonSchema<Schema extends z.ZodType>(schema: Schema, json: JsonSchema): Schema {
  replacements.add(schema, json)
  return schema
}

/** The keyword that holds a description as a message, alongside its canonical text. */
export const messageKeyword = 'x-message'

/** Describes a parameter or a field. A message's mentions are spelled when the schema is shown. */
export function describe<Schema extends z.ZodType>(schema: Schema, text: string | Message): Schema {
  if (typeof text === 'string') return schema.describe(text)
  return schema.meta({ description: text.render(), [messageKeyword]: text.toJSON() })
}

/** The JSON Schema published for `schema`. */
export function toJsonSchema(schema: z.ZodType): JsonSchema {
  const json: Record<string, unknown> = z.toJSONSchema(schema, {
    io: 'input',
    override({ zodSchema, jsonSchema }) {
      const replacement = replacements.get(zodSchema)
      if (replacement) {
        for (const key of Object.keys(jsonSchema)) Reflect.deleteProperty(jsonSchema, key)
        Object.assign(jsonSchema, replacement)
      }
      for (const bound of ['minimum', 'maximum'] as const) {
        if (Math.abs(Number(jsonSchema[bound])) === Number.MAX_SAFE_INTEGER) Reflect.deleteProperty(jsonSchema, bound)
      }
      // Omitted to keep lists small; a blank value still gives a clear error.
      if (jsonSchema['minLength'] === 1) Reflect.deleteProperty(jsonSchema, 'minLength')
      if (/^\\S$|^\[\^\\s[^\]]*\]$/.test(jsonSchema.pattern ?? '')) Reflect.deleteProperty(jsonSchema, 'pattern')
    },
  })
  delete json['$schema']
  return json
}

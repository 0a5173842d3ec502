import { buildSchema, getNamedType, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql'
import { vendorSdl } from './vendor-schema.ts'

let built: GraphQLSchema | undefined

/** Linear's full schema, which is built once, when an operation first needs it. */
export const vendorSchema = (): GraphQLSchema =>
  (built ??= buildSchema(vendorSdl(), { assumeValid: true, assumeValidSDL: true, noLocation: true }))

/** The name of the type of a field, without list and null marks; undefined when there is no such field. */
export function fieldType(type: string, field: string): string | undefined {
  const declared = vendorSchema().getType(type)
  if (!isObjectType(declared) && !isInterfaceType(declared)) return undefined
  const found = declared.getFields()[field]
  return found && getNamedType(found.type).name
}

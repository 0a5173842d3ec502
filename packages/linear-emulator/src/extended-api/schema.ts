import { buildSchema, getNamedType, type GraphQLSchema, isInterfaceType, isObjectType } from 'graphql'
import { entityTypes as servedTypes } from '../entities/index.ts'
import type { EntityType, EntityTypes } from '../store/entity-type.ts'
import { historyType } from './history-type.ts'
import { membershipType } from './membership-type.ts'
import { recordKinds } from './record-kinds.ts'
import { recordType } from './record-types.ts'
import { vendorSdl } from './vendor-schema.ts'

let built: GraphQLSchema | undefined

/** Linear's full schema, which is built once, when an operation first needs it. */
export const vendorSchema = (): GraphQLSchema =>
  (built ??= buildSchema(vendorSdl(), { assumeValid: true, assumeValidSDL: true, noLocation: true }))

/** Types whose tables are queries, and those that were derived. */
const records = new Map<string, EntityType>([historyType, membershipType].map((each) => [each.type, each]))

/** The entity types of the servers, and those that follow from the vendor's schema. */
export const entityTypes: EntityTypes = {
  get(type) {
    const known = servedTypes.get(type) ?? records.get(type)
    if (known !== undefined || !recordKinds.has(type)) return known
    const derived = recordType(vendorSchema(), type)
    records.set(type, derived)
    return derived
  },
}

/** The name of the type of a field, without list and null marks; undefined when there is no such field. */
export function fieldType(type: string, field: string): string | undefined {
  const declared = vendorSchema().getType(type)
  if (!isObjectType(declared) && !isInterfaceType(declared)) return undefined
  const found = declared.getFields()[field]
  return found && getNamedType(found.type).name
}

import { type Columns, type EntityType, isCommon, manyFilter } from '../store/entity-type.ts'
import { operandOf } from '../store/filter-fields.ts'
import { recordEntity } from '../store/record-entity.ts'
import { fieldsOf, isLeaf, isList, kindOf, nameOf, possibleTypes } from '../vendor/declarations.ts'

/** The field name for a type: the type's name, with its first letter in lower case. */
export const fieldName = (type: string): string => type.slice(0, 1).toLowerCase() + type.slice(1)

export const capitalize = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1)

/**
 * An entity type stored as JSON. Its columns and filters follow from the vendor's schema: a column for each scalar, list and JSON object,
 * for each related entity's id, and for each other field in the inputs.
 */
export function recordType(type: string): EntityType {
  const columns = columnsOf(type)
  const filters = [...fieldsOf(`${type}Filter`)].map(([name, field]) => [name, nameOf(field.type)] as const)
  const collections = filters.flatMap(([name, filter]) => {
    const [, other] = /^(\w+)CollectionFilter$/.exec(filter) ?? []
    return other === undefined ? [] : [[name, manyFilter(other, `${fieldName(type)}Id`)] as const]
  })
  return recordEntity({
    type,
    columns,
    searched: filters.filter(([name, filter]) => name in columns && operandOf(filter) === 'text').map(([name]) => name),
    filters: Object.fromEntries(collections),
  })
}

function columnsOf(type: string): Columns {
  const isInterface = kindOf(type) === 'interface'
  const names = [type, ...(isInterface ? possibleTypes(type) : [])].flatMap((each) =>
    [...fieldsOf(each)].flatMap(([name, field]) => {
      const named = nameOf(field.type)
      if (isLeaf(named)) return [name]
      return isList(field.type) || named.endsWith('Connection') ? [] : [`${name}Id`]
    }),
  )
  const given = ['Create', 'Update'].flatMap((verb) => [...fieldsOf(`${type}${verb}Input`).keys()])
  const all = [...names, ...given, ...(isInterface ? ['kind'] : [])]
  return Object.fromEntries(all.filter((name) => !isCommon(name)).map((name) => [name, 'text?']))
}

import {
  type ColumnType,
  commonFilters,
  type EntityType,
  type FilterField,
  manyFilter,
  oneFilter,
  type Operand,
  valueFilter,
} from '../store/entity-type.ts'
import { recordEntity } from '../store/record-entity.ts'
import { fieldsOf, isLeaf, isList, kindOf, nameOf, possibleTypes } from '../vendor/declarations.ts'

/** Filter comparators, by the beginning of their names. */
const operands: readonly (readonly [RegExp, Operand])[] = [
  [/^(?:Nullable)?(?:Timeless)?Date/, 'time'],
  [/^(?:Nullable)?String|^SourceType/, 'words'],
  [/^(?:Nullable)?Number|^Estimate/, 'number'],
  [/^Boolean/, 'flag'],
  [/^(?:EntityIdentifier)?I[dD]/, 'id'],
]

/** Columns that every entity has. */
const common = new Set(['id', 'createdAt', 'updatedAt', 'archivedAt'])

/** The field name for a type: the type's name, with its first letter in lower case. */
export const fieldName = (type: string): string => type.slice(0, 1).toLowerCase() + type.slice(1)

/**
 * An entity type stored as JSON. Its columns and filters follow from the vendor's schema: a column for each scalar, list and JSON object,
 * one with each related entity's id, and other fields of its inputs.
 */
export function recordType(type: string): EntityType {
  const columns = columnsOf(type)
  return recordEntity({ type, columns, filters: filtersOf(type, columns) })
}

function columnsOf(type: string): Record<string, ColumnType> {
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
  return Object.fromEntries(all.filter((name) => !common.has(name)).map((name) => [name, 'text?' as const]))
}

function filtersOf(type: string, columns: Readonly<Record<string, ColumnType>>): Record<string, FilterField> {
  const filters: Record<string, FilterField> = { ...commonFilters }
  for (const [name, field] of fieldsOf(`${type}Filter`)) {
    const filter = nameOf(field.type)
    const operand = operands.find(([pattern]) => pattern.test(filter))?.[1]
    const many = /^(\w+)CollectionFilter$/.exec(filter)?.[1]
    const one = /^(?:Nullable)?(\w+)Filter$/.exec(filter)?.[1]
    if (operand !== undefined && (name in columns || common.has(name))) filters[name] = valueFilter(operand)
    else if (many !== undefined) filters[name] = manyFilter(many, (alias, other) => `${other}.${fieldName(type)}Id = ${alias}.id`)
    else if (one !== undefined && `${name}Id` in columns) filters[name] = oneFilter(one, `${name}Id`)
  }
  return filters
}

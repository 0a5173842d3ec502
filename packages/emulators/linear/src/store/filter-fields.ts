import { fieldType } from '../vendor/declarations.ts'
import { type EntityType, type EntityTypes, type FilterField, isCommon, type Operand } from './entity-type.ts'

/** Operands, by the beginning of the comparator's name. */
const operands: readonly (readonly [RegExp, Operand])[] = [
  [/^(?:Nullable)?(?:Timeless)?Date/, 'time'],
  [/^(?:Nullable)?String|^SourceType/, 'text'],
  [/^(?:Nullable)?Number|^Estimate/, 'number'],
  [/^Boolean/, 'flag'],
  [/^IssueId/, 'issueId'],
  [/^(?:EntityIdentifier)?I[dD]/, 'id'],
]

/** The operand for a comparator in the vendor's schema; undefined if the comparator is not emulated. */
export const operandOf = (comparator: string): Operand | undefined => operands.find(([pattern]) => pattern.test(comparator))?.[1]

/** A type's filter with this name: its own, or the one derived from the vendor's schema. Undefined if there is none. */
export function filterOf(entityTypes: EntityTypes, entityType: EntityType, name: string): FilterField | undefined {
  const { type, columns, searched = [], filters = {} } = entityType
  const filter = fieldType(`${type}Filter`, name)
  const own = filters[name]
  if (own !== undefined || filter === undefined) return own
  const other = /^(?:Nullable)?(\w+)Filter$/.exec(filter)?.[1]
  const key = `${name}Id`
  if (other !== undefined) return key in columns && entityTypes.get(other) !== undefined ? { kind: 'one', type: other, key } : undefined
  const operand = name in columns || isCommon(name) ? operandOf(filter) : undefined
  if (operand === 'text' && searched.includes(name)) return { kind: 'value', operand: 'words' }
  if (operand === 'time' && fieldType(type, name) === 'TimelessDate') return { kind: 'value', operand: 'day' }
  return operand && { kind: 'value', operand }
}

import { isMisspelling } from '@mcp-toolkits/core/words'
import { type ItemType, itemTypes } from './calls.ts'
import { plainName } from './fields.ts'

/** A type as it is written with what it is about, without case and separators: `trackEvent`, `page_view`, `IdentifyUser`. */
const writtenType = /^(?:send)?(identify|track|page|screen|group|alias)(?:user|person|customer|event|view|call|identity)*$/

export function readType(value: unknown): ItemType | undefined {
  const [, type] = typeof value === 'string' ? (writtenType.exec(plainName(value)) ?? []) : []
  return itemTypes.find((each) => each === type)
}

/** The type that is misspelt in a value; undefined where none or several are like it. */
export function misspeltType(value: unknown): ItemType | undefined {
  const [only, ...others] = typeof value === 'string' ? itemTypes.filter((each) => isMisspelling(value, each)) : []
  return others.length === 0 ? only : undefined
}

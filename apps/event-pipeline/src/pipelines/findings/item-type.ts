import { isMisspelling } from '@mcp-toolkits/core/references'
import { type ItemType, itemTypes } from '../calls.ts'
import { plainName } from '../fields.ts'

/** A type as written with its subject, without case and separators: `trackEvent`, `page_view`, `IdentifyUser`. */
const writtenType = /^(?:send)?(identify|track|page|screen|group|alias)(?:user|person|customer|event|view|call|identity)*$/

export function readType(value: unknown): ItemType | undefined {
  const [, type] = typeof value === 'string' ? (writtenType.exec(plainName(value)) ?? []) : []
  return itemTypes.find((each) => each === type)
}

/** Words for a call's subject, each of which may mean its type. */
const topics: Readonly<Record<ItemType, string>> = {
  track: 'event customevent',
  identify: 'user person customer profile',
  group: 'company account organization',
  alias: 'merge',
  page: 'pageview',
  screen: 'screenview',
}

/** The type that text stands for, perhaps misspelt; a guess if it is a different word, not a spelling. */
export function meantType(written: unknown): { readonly type: ItemType; readonly isGuess: boolean } | undefined {
  const read = readType(written) ?? itemTypes.find((each) => typeof written === 'string' && isMisspelling(written, each))
  const type = read ?? itemTypes.find((each) => typeof written === 'string' && topics[each].split(' ').includes(plainName(written)))
  return type && { type, isGuess: read === undefined }
}

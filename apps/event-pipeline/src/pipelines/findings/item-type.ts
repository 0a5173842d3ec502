import { rank } from '@mcp-toolkits/core/references'
import { type ItemType, itemTypes } from '../calls.ts'
import { plainName } from '../fields.ts'

/** A type as it is written with its subject, without case and separators: `trackEvent`, `page_view`, `IdentifyUser`. */
const writtenType = /^(?:send)?(identify|track|page|screen|group|alias)(?:user|person|customer|event|view|call|identity)*$/

export function readType(value: unknown): ItemType | undefined {
  const [, type] = typeof value === 'string' ? (writtenType.exec(plainName(value)) ?? []) : []
  return itemTypes.find((each) => each === type)
}

/** Words for the subject of a call. Each may mean its type. */
const topics: Readonly<Record<string, ItemType>> = {
  event: 'track',
  customevent: 'track',
  user: 'identify',
  person: 'identify',
  customer: 'identify',
  profile: 'identify',
  company: 'group',
  account: 'group',
  organization: 'group',
  merge: 'alias',
}

/** From this confidence on, one letter is wrong. */
const minPlain = 0.85

/** A type that a written one stands for. */
interface MeantType {
  readonly type: ItemType
  /** True if the written one is another word, and not a spelling of it. */
  readonly isGuess: boolean
}

export function meantType(written: unknown): MeantType | undefined {
  const read = readType(written)
  if (read || typeof written !== 'string') return read && { type: read, isGuess: false }
  const plain = plainName(written)
  const topic = Object.hasOwn(topics, plain) ? topics[plain] : undefined
  if (topic) return { type: topic, isGuess: true }
  const [closest] = rank(written.toLowerCase(), itemTypes, { minConfidence: 0.6 })
  const type = itemTypes.find((each) => each === closest?.value)
  return type && { type, isGuess: (closest?.confidence ?? 0) < minPlain }
}

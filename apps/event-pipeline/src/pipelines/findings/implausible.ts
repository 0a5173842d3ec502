import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { count, quote } from '@mcp-toolkits/core/errors'
import { isPlaceholder } from '@mcp-toolkits/core/tool'
import { type CallName, callsOf, type ItemType, type ParsedBody } from '../calls.ts'
import { isDateTime } from '../date-time.ts'
import { dateTimeFields, idFields, isTraitRemoval, isView, namesIn, plainName } from '../fields.ts'
import { type Check, type Finding, fault, misdirected, remark, unread } from './finding.ts'

/**
 * A body's ids that are meaningless or unfilled templates. The vendor would create a person for each, or drop every call after the first
 * with such a `messageId`.
 */
export function placeholderIds(name: CallName, body: ParsedBody): Finding[] {
  return callsOf(name, body).flatMap(({ at, json }) =>
    placeholdersIn(json).map(({ at: field, ...found }) => ({ ...found, at: at === '' ? field : `${at}.${field}` })),
  )
}

/** Like `placeholderIds`, for one call. */
export function placeholdersIn(call: unknown): Finding[] {
  return [...idFields, 'messageId'].flatMap((field) => {
    const value = isObject(call) ? call[field] : undefined
    if (typeof value !== 'string' || value === '' || !isPlaceholder(value)) return []
    return [fault(field, `is ${quote(value)}, which stands for no value.`)]
  })
}

/** Ids with surrounding spaces, which make them a different person's. */
export const paddedIds: Check = (call) =>
  idFields.flatMap((name) => {
    const value = call[name]
    if (typeof value !== 'string' || value.trim() === value) return []
    return [remark(name, `has spaces around it, so it is a different id from ${quote(value.trim())}.`)]
  })

/** Number of full calendar years between two times. */
function yearsBetween(one: number, other: number): number {
  const [from, to] = [new Date(Math.min(one, other)), new Date(Math.max(one, other))]
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  from.setUTCFullYear(to.getUTCFullYear())
  return from > to ? years - 1 : years
}

const dayMs = 24 * 60 * 60 * 1000

/** Times far from the present, which suggest a wrong clock or unit, and old times in calls that set traits. */
export function farTimes(type: ItemType, call: JsonObject, now: number): Finding[] {
  return dateTimeFields.flatMap((name) => {
    const value = call[name]
    const time = isDateTime(value) ? Date.parse(String(value)) : now
    const years = yearsBetween(time, now)
    const days = Math.floor((now - time) / dayMs)
    const isOldIdentify = type === 'identify' && name === 'timestamp' && days >= 1
    if (years === 0 && !isOldIdentify) return []
    const distance = years === 0 ? count(days, 'day') : count(years, 'year')
    const where = `is ${distance} ${time < now ? 'ago' : 'ahead'}.`
    const meant = new Date(time * 1000)
    if (time > 0 && yearsBetween(meant.getTime(), now) < maxUnitYears)
      return [remark(name, `${where} It looks like seconds that were read as milliseconds: ${meant.toISOString()} may be meant.`)]
    if (isOldIdentify) return [remark(name, `${where} ${overwrites}`)]
    return [remark(name, `${where} Unless that is when it happened, leave it out: the time of the call is added.`)]
  })
}

/** Maximum years from the present at which a time, read in a different unit, counts as the intended one. */
const maxUnitYears = 20

const overwrites =
  'Customer.io does not promise to keep newer traits for an older timestamp, so these may overwrite them: send only traits that still hold.'

const namesDate = /(?:_at|At|_on|On|date|Date|_time|Time|timestamp|Timestamp)$/

/** Dates in milliseconds where the vendor reads seconds. https://docs.customer.io/journeys/faq-timestamps */
export const millisecondTraits: Check = (traits) =>
  Object.entries(traits).flatMap(([name, value]) => {
    if (typeof value !== 'number' || name === 'createdAt' || !namesDate.test(name)) return []
    if (value < minMilliseconds || value > maxMilliseconds) return []
    const seconds = Math.floor(value / 1000)
    return [remark(name, `is in milliseconds; Customer.io reads seconds, so no rule about dates matches it. Write ${seconds}.`)]
  })

/** Milliseconds from 1973 to 2100. */
const minMilliseconds = 100_000_000_000
const maxMilliseconds = 4_102_444_800_000

const relativeDate = /^(?:yesterday|today|tomorrow|now|(?:last|next|this) \w+|in \d+ \w+|.* ago)$/i

/** True for `created_at` as text that the vendor does not read as a date. */
export const isUnreadCreation = (name: string, value: unknown) =>
  name !== 'createdAt' && plainName(name) === 'createdat' && typeof value === 'string' && !isDateTime(value) && !/^\d*$/.test(value)

/** Dates in words, which the vendor stores as text. */
export const wordedDates: Check = (traits) =>
  Object.entries(traits).flatMap(([name, value]) => {
    const problem = `is ${quote(String(value))}, which Customer.io stores as text, not as a date. Write`
    if (isUnreadCreation(name, value)) return [misdirected(name, `${problem} createdAt in ISO 8601, as in 2026-01-31T12:00:00Z.`)]
    const isWord = name !== 'createdAt' && namesDate.test(name) && typeof value === 'string' && relativeDate.test(value)
    return isWord ? [remark(name, `${problem} it in ISO 8601.`)] : []
  })

/** Checks that `unsubscribed` has a form that the vendor reads; it reads anything else as false. */
export const unsubscribedFlag: Check = ({ unsubscribed: value }) => {
  const isRead =
    typeof value === 'string'
      ? ['true', 'false', '0', '1'].includes(value.toLowerCase())
      : [undefined, null, true, false, 0, 1].some((flag) => flag === value)
  if (isRead) return []
  return [
    (meansYes(value) ? misdirected : unread)(
      'unsubscribed',
      `is ${JSON.stringify(value)}: Customer.io reads only true, "true" and 1, so messages continue. Write true or false.`,
    ),
  ]
}

/** True for a word that is meant as true but read as false. */
export const meansYes = (value: unknown) => typeof value === 'string' && /^\s*(?:y|yes|on|ja|oui|s[ií]|unsubscribed)\s*$/i.test(value)

/** Names of traits that look as if they stop messages. Only `unsubscribed` does. */
const unsubscribing = /unsubscrib|opt(?:ed)?out|^(?:is)?subscribed$/

export const unsubscribingTraits: Check = (traits) =>
  Object.keys(traits).flatMap((name) =>
    name !== 'unsubscribed' && unsubscribing.test(plainName(name))
      ? [remark(name, 'does not stop messages: Customer.io reads unsubscribed.')]
      : [],
  )

/** Requests to remove traits: the vendor would create a trait of that name. */
export const traitRemovals: Check = (members) => {
  const names = Object.keys(members).filter((name) => isTraitRemoval({ name, value: members[name] }))
  return names.map((name) => misdirected(name, 'changes no trait: this tool only sets traits. To empty one, set it to "".'))
}

/** A screen's name in the wrong place, or the address of a page. */
export const screenName: Check = (call) => [
  ...(/^https?:/.test(String(call['name'])) ? [remark('name', 'is a web address. SendPageViewEvent records views of pages.')] : []),
  ...nameInProperties('screen')(call),
  ...(call['name'] === undefined && namesIn('screen', call).length === 0
    ? [(isView(call['event']) ? misdirected : remark)('name', 'is missing, so the view has no name.')]
    : []),
]

export const nameInProperties =
  (type: 'page' | 'screen'): Check =>
  (call) =>
    namesIn(type, call).map((name) => misdirected(`properties.${name}`, 'is only a property; move it to name.'))

const address = /^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>".]+$/

/** An address without what people add to it, such as `mailto:`. */
const plainAddress = (written: string) =>
  written
    .replace(/^mailto:/i, '')
    .replace(/\(at\)|\[at\]| at /i, '@')
    .replace(/\(dot\)|\[dot\]| dot /gi, '.')
    .replace(/\s/g, '')

/** The address that text stands for, if only such additions keep it from being one. */
export const meantAddress = (email: unknown) =>
  typeof email === 'string' && !address.test(email) ? [plainAddress(email)].find((each) => address.test(each)) : undefined

export const emailTrait: Check = ({ email }) => {
  if (typeof email !== 'string' || email === '' || address.test(email)) return []
  const [inner = email] = /(?<=<)[^<>]*(?=>)/.exec(email) ?? []
  const meant = plainAddress(inner).replaceAll(',', '.')
  const suggestion = address.test(meant) ? ` Did you mean ${quote(meant)}?` : ''
  return [remark('email', `is not an email address, so no message arrives there.${suggestion}`)]
}

const digits = /\d+/g
export const isUuid = (id: string) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(id)

/** True for an id that says that it is anonymous. */
export const isAnonymous = (id: string) => /anon|guest|visitor|device|session/i.test(id)

/** True if the previous id looks like a known person's: an email address, or an id of the same form as the other. */
const isKnownBeside = (previous: string, id: string) => {
  if (isUuid(previous) || isAnonymous(previous)) return false
  if (address.test(previous)) return true
  return /\d/.test(previous) ? previous.replace(digits, '0') === id.replace(digits, '0') : /^[\p{L}._-]+$/u.test(previous) && !/\d/.test(id)
}

export const mergedPeople: Check = ({ previousId, userId }) => {
  const isSuspect =
    typeof previousId === 'string' && typeof userId === 'string' && previousId !== userId && isKnownBeside(previousId, userId)
  return isSuspect
    ? [
        remark(
          'previousId',
          "looks like a known person's id, as userId does. Customer.io merges them for good: check that both are the same person.",
        ),
      ]
    : []
}

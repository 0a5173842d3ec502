import { isObject, type JsonObject } from '@mcp-toolkits/core/base'
import { count, quote } from '@mcp-toolkits/core/errors'
import { isPlaceholder } from '@mcp-toolkits/core/tool'
import { type CallName, callsOf, type ParsedBody } from '../calls.ts'
import { isDateTime } from '../date-time.ts'
import { dateTimeFields, idFields, plainName } from '../fields.ts'
import { type Check, type Finding, fault, remark } from './finding.ts'

/**
 * The ids in a body that are words for nothing or templates that were not filled in. The vendor would make a person of each, or drop every
 * call after the first with such a `messageId`.
 */
export function placeholderIds(name: CallName, body: ParsedBody): Finding[] {
  return callsOf(name, body).flatMap(({ at, json }) =>
    [...idFields, 'messageId'].flatMap((field) => {
      const value = isObject(json) ? json[field] : undefined
      if (typeof value !== 'string' || value === '' || !isPlaceholder(value)) return []
      return [fault(at === '' ? field : `${at}.${field}`, `is ${quote(value)}, which stands for no value.`)]
    }),
  )
}

/** Ids that differ from another person's in blanks alone. */
export const paddedIds: Check = (call) =>
  idFields.flatMap((name) => {
    const value = call[name]
    if (typeof value !== 'string' || value.trim() === value) return []
    return [remark(name, `has blanks around it, so it is another id than ${quote(value.trim())}.`)]
  })

/** Full years of the calendar between two times. */
function yearsBetween(one: number, other: number): number {
  const [from, to] = [new Date(Math.min(one, other)), new Date(Math.max(one, other))]
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  from.setUTCFullYear(to.getUTCFullYear())
  return from > to ? years - 1 : years
}

/** Times that are years from now, which a wrong clock or a wrong unit gives. */
export function farTimes(call: JsonObject, now: number): Finding[] {
  return dateTimeFields.flatMap((name) => {
    const value = call[name]
    const time = isDateTime(value) ? Date.parse(String(value)) : now
    const years = yearsBetween(time, now)
    if (years === 0) return []
    const where = `is ${count(years, 'year')} ${time < now ? 'ago' : 'ahead'}`
    return [remark(name, `${where}. Unless that is when it happened, leave it out: the time of the call is added.`)]
  })
}

/** Names of traits that look as if they stopped messages. `unsubscribed` alone does. */
const unsubscribing = /unsubscrib|opt(?:ed)?out|^(?:is)?subscribed$/

export const unsubscribingTraits: Check = (traits) =>
  Object.keys(traits).flatMap((name) =>
    name !== 'unsubscribed' && unsubscribing.test(plainName(name))
      ? [remark(name, 'does not stop messages: Customer.io reads unsubscribed.')]
      : [],
  )

const address = /^[^\s@,;<>"]+@[^\s@,;<>"]+\.[^\s@,;<>".]+$/

export const emailTrait: Check = ({ email }) => {
  if (typeof email !== 'string' || email === '' || address.test(email)) return []
  const [inner = email] = /(?<=<)[^<>]*(?=>)/.exec(email) ?? []
  const meant = inner
    .replace(/^mailto:/i, '')
    .replace(/\s/g, '')
    .replaceAll(',', '.')
  const suggestion = address.test(meant) ? ` Did you mean ${quote(meant)}?` : ''
  return [remark('email', `is not an email address, so no message arrives there.${suggestion}`)]
}

const digits = /\d+/g
const isUuid = (id: string) => /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i.test(id)

/** A known person has an email address as id, or one that is counted as the other is. */
const isKnownBeside = (previous: string, id: string) => {
  if (isUuid(previous) || /anon|guest|visitor|device|session/i.test(previous)) return false
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
          'looks like the id of a known person, as userId does. Customer.io merges them for good: check that both are one person.',
        ),
      ]
    : []
}

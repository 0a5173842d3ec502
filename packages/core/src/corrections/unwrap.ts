import type * as z from 'zod'
import { isObject, type JsonObject, parseJson } from '../base/json.ts'
import { readLooseJson } from './loose-json.ts'
import { isIdle } from './needless.ts'
import { type Parameter, readName, sameName } from './parameters.ts'
import { isTooLarge, readValue } from './values.ts'
import { vocabularyOf, words } from './vocabulary.ts'

/** Names of an argument that may wrap all others in a read, even if the name could also mean a text parameter. */
const conditions = words('filter filters where')
const wrappers = words(
  'input arguments args params parameters payload data body request request_body requestBody update updates patch fields additional_fields additionalFields custom_fields customFields changes values column_values columnValues attributes issue project options settings config resource metadata',
)
/** Keys that say which thing a record is about, or what becomes of it. */
const identity = /^(?:id|identifier|key|name|title|display_?name|value|type|add|remove)$/i

interface Call {
  readonly input: z.ZodObject
  readonly effect: string | undefined
  readonly parameters: readonly Parameter[]
  readonly today: string
}

/** Takes arguments out of records that are no arguments: `{ "input": { … } }`, `{ "permission": { … } }`. `change` does so in the call. */
export function unwrap(call: Call, written: JsonObject, levels = 3): { readonly args: JsonObject; readonly change?: JsonObject } {
  const unknown = Object.entries(written).filter(([each]) => !sameName(each, call.parameters))
  const records = unknown.map(
    ([each, held]) => [each, typeof held === 'string' && !isTooLarge(held) ? (parseJson(held) ?? readLooseJson(held)) : held] as const,
  )
  const [name = '', value] = records.find(([each, held]) => isObject(held) && isWrapper(call, written, each, held)) ?? []
  if (!isObject(value) || levels === 0) return { args: written }
  const others = Object.fromEntries(Object.entries(written).filter(([each]) => each !== name))
  const { args, change = {} } = unwrap(call, { ...others, ...value }, levels - 1)
  const isChange = ([each, held]: [string, unknown]) => held !== null || Object.hasOwn(written, each)
  return { args, change: Object.fromEntries(Object.entries({ [name]: null, ...value, ...change }).filter(isChange)) }
}

function isWrapper({ input, parameters, today, effect }: Call, written: JsonObject, name: string, value: JsonObject): boolean {
  const keys = Object.keys(value)
  if (keys.some((key) => key !== name && Object.hasOwn(written, key))) return false
  const meantBy = (each: string) => {
    const same = sameName(each, parameters)
    return same ? [same] : readName(each, parameters).flatMap(({ isClear, parameter }) => (isClear ? [parameter] : []))
  }
  const own = meantBy(name)
  const isFree = (each: Parameter) => !own.includes(each) && written[each.name] === undefined
  // A record of one thing with an argument that the call lacks is more than its name.
  const isNeeded = (key: string) =>
    meantBy(key).some((each) => sameName(key, [each]) !== undefined || (each.isRequired && isFree(each) && !identity.test(key)))
  const isMeant = !keys.some(isNeeded) && own.some((parameter) => readValue(parameter, written[name], today) !== undefined)
  if ([...(effect === 'read' ? conditions : []), ...wrappers].includes(name)) return !isMeant || conditions.includes(name)
  // An identity belongs to the holder: the name of a project is not that of its issue.
  const isPart = (key: string) =>
    isIdle(vocabularyOf(input), effect, value, key) ||
    meantBy(key).some((each) => own.includes(each) || (!identity.test(key) && isFree(each)))
  return !isMeant && own.length > 0 && keys.length > 0 && keys.every(isPart)
}

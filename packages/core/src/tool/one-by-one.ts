import type { JsonObject } from '../base/json.ts'
import type { InvalidInput } from '../errors/errors.ts'
import { changed } from '../corrections/rest.ts'

/** The refusal of a call with these arguments; undefined if they are accepted. */
type Refuse = (args: JsonObject) => Promise<InvalidInput | undefined>

/** Maximum number of calls to write out. */
const maxCalls = 10

/**
 * A sentence with one call per item, if exactly one argument whose name matches `asks` has several items; undefined unless all would
 * be accepted. No single call is proposed, because it would do only part of the job.
 */
export async function oneByOne(args: JsonObject, asks: RegExp, refuse: Refuse): Promise<string | undefined> {
  const lists = Object.entries(args).filter(([each, value]) => asks.test(each) && Array.isArray(value) && value.length > 1)
  const [[name, items] = ['', undefined]] = lists
  if (lists.length !== 1 || !Array.isArray(items) || items.length > maxCalls) return undefined
  const calls = await Promise.all(
    items.map(async (item: unknown) => {
      const call = { ...args, [name]: item }
      const refusal = await refuse(call)
      const change = refusal ? refusal.details.next?.change : {}
      return change && changed(call, change)
    }),
  )
  const texts = calls.map((each) => JSON.stringify(each))
  return calls.includes(undefined) ? undefined : `Make these calls: ${texts.join(', then ')}.`
}

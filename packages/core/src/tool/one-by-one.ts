import type { JsonObject } from '../base/json.ts'
import type { InvalidInput } from '../errors/errors.ts'
import { changed } from '../corrections/rest.ts'

/** The refusal of a call with these arguments; undefined if they are accepted. */
type Refuse = (args: JsonObject) => Promise<InvalidInput | undefined>

/** Maximum number of calls to write out. */
const maxCalls = 10

/** A sentence with one call per item, if an argument whose name matches `asks` lists several; none unless all calls would be accepted. */
export async function oneByOne(args: JsonObject, asks: RegExp, refuse: Refuse): Promise<readonly string[]> {
  const [name = '', items] = Object.entries(args).find(([each, value]) => asks.test(each) && Array.isArray(value)) ?? []
  if (!Array.isArray(items) || items.length < 2 || items.length > maxCalls) return []
  const calls = await Promise.all(
    items.map(async (item: unknown) => {
      const call = { ...args, [name]: item }
      const refusal = await refuse(call)
      const change = refusal ? refusal.details.next?.change : {}
      return change && JSON.stringify(changed(call, change))
    }),
  )
  return calls.includes(undefined) ? [] : [`Make these calls: ${calls.join(', then ')}.`]
}

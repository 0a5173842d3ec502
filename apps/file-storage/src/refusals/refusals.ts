import { isObject, type JsonObject, parseJson } from '@mcp-toolkits/core/base'
import { InvalidInput, type NextStep, NotFound, withDetails } from '@mcp-toolkits/core/errors'
import { changed, correctedRest, isCorrectedRest, oneByOne } from '@mcp-toolkits/core/tool'
import { wishes } from './wishes.ts'
import type { Refuse } from './days.ts'

/** Arguments inside a record, even as JSON text. */
function inside(held: unknown, levels = 3): [string, unknown][] {
  const record = typeof held === 'string' ? parseJson(held) : held
  if (!isObject(record) || levels === 0) return []
  return Object.entries(record).flatMap(([name, value]) => [[name, value], ...inside(value, levels - 1)])
}

/** The wishes in a call's arguments, and in those that a change unwraps. */
function wishesIn(tool: string, args: JsonObject, change: JsonObject | undefined) {
  const own = wishes.filter(([of]) => of === '' || of.split(' ').includes(tool))
  const unwrapped = Object.entries(args).flatMap(([name, value]) => (change?.[name] === null ? inside(value) : []))
  return [...Object.entries(args), ...unwrapped].flatMap(([name, value]) => {
    const wish = own.find(([, asks]) => asks.test(`${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`))
    return wish ? [{ name, value, says: wish[2], step: wish[3] }] : []
  })
}

const ofOneItem = ['MoveFile', 'DownloadFile', 'ShareFile', 'CreateFolder', 'SearchFiles']
const oneItem = /^(?:source_)?(?:file|item|path|id|folder|document)s?(?:_?(?:path|id|name)s?(?:_or_id)?)?$|^(?:names|quer(?:y|ies))$/i

/** Adds to a refusal what the tool cannot do, and drops corrections that would not do it either. */
export async function withWish(error: unknown, { tool, args }: { readonly tool: string; readonly args: unknown }, refuse: Refuse) {
  if (!(error instanceof InvalidInput || error instanceof NotFound) || !isObject(args)) return error
  const { next, suggestions = [] } = error.details
  const asked = wishesIn(tool, args, next?.change)
  const lost = asked.filter(({ step }) => step !== 'kept')
  const rest = lost.every(({ step }) => step === 'rest')
  // A new name is for one item.
  const isOfItems = ofOneItem.includes(tool) && !Object.hasOwn(args, 'new_filename')
  const calls = isOfItems ? await oneByOne(args, oneItem, refuse) : undefined
  const advice = [...new Set(asked.map(({ says }) => says)), ...(calls ? [calls] : [])]
  const whole = error.text.and(...advice)
  if (lost.length === 0) return advice.length > 0 ? withDetails(error, whole, error.details) : error
  // Drops core's remainder: a call without its purpose is no advice, and a restated argument makes it another call.
  const text = error.text.map((each) => (isCorrectedRest(each) ? '' : each)).and(...advice)
  const restated = ({ name, value, step }: (typeof lost)[number]) => (typeof step === 'object' ? step.as(value, args, name) : undefined)
  const without = lost.reduce<JsonObject>((all, wish) => ({ ...all, [wish.name]: null, ...restated(wish) }), {})
  const again = next?.change || error instanceof NotFound ? error : await refuse(changed(args, without))
  const more = again === undefined ? {} : again.details.next?.change
  const change = more && (again === error ? more : { ...without, ...more })
  let steps: readonly NextStep[] = change ? [{ change }] : []
  for (const wish of lost) {
    const { step, name, value } = wish
    const next = async (change?: JsonObject) => (typeof step === 'function' ? step({ name, value, args, change, refuse }) : [])
    if (restated(wish) === undefined)
      steps = (await Promise.all(steps.length > 0 ? steps.map(async (each) => next(each.change)) : [next()])).flat()
    if (!steps[0]?.change) break
  }
  const [only, ...others] = steps
  if (only && others.length === 0) return withDetails(error, text, { next: only })
  if (rest && change) return withDetails(error, text.and(correctedRest(changed(changed(args, change), without))), {})
  const queries = steps.map((each) => ({ value: String(each.change?.['query']), parameter: 'query', confidence: 0.6 }))
  const left = rest ? suggestions.filter(({ parameter }) => !lost.some(({ name }) => name === parameter)) : queries
  return withDetails(error, rest ? whole : text, { suggestions: left })
}

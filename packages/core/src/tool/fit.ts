import type * as z from 'zod'
import { isObject, type JsonObject } from '../base/json.ts'
import { isIdle } from '../corrections/needless.ts'
import { parametersOf, readName, sameName } from '../corrections/parameters.ts'
import { changed } from '../corrections/rest.ts'
import { vocabularyOf } from '../corrections/vocabulary.ts'
import type { Effect } from './tool.ts'

/** Mismatches between a tool and arguments that were written for a tool with a different name. */
export interface Fit {
  /** Number of arguments that the tool does not understand. */
  readonly unknown: number
  /** Number of required arguments that are not given. */
  readonly missing: number
}

/** Counts the arguments that a tool does not understand, and those that are missing. Most values are left for the tool to check. */
export function fitOf({ input, effect }: { readonly input: z.ZodObject; readonly effect: Effect }, args: JsonObject): Fit {
  const parameters = parametersOf(input)
  const isNeedless = (given: JsonObject, name: string) => isIdle(vocabularyOf(input), effect, given, name)
  const meaningsOf = (name: string, value: unknown): readonly string[] => {
    const own = sameName(name, parameters)
    if (own) return [own.name]
    const others = changed(args, { [name]: null })
    const meant = readName(name, parameters).filter(
      ({ isClear, parameter: { vocabulary } }) => isClear && vocabulary.fits?.(value, { name, others }) !== false,
    )
    return meant.map(({ parameter }) => parameter.name)
  }
  const given = Object.entries(args).flatMap(([name, value]) =>
    isObject(value) && meaningsOf(name, value).length === 0 && !isNeedless(args, name) ? Object.entries(value) : [[name, value] as const],
  )
  const said = Object.fromEntries(given)
  const understood = given.map(([name, value]) => (isNeedless(said, name) ? [''] : meaningsOf(name, value)))
  const filled = new Set(understood.flat())
  // One value cannot be given twice.
  const sole = understood.flatMap(([only = '', ...more]) =>
    more.length === 0 && parameters.some((each) => each.name === only && !each.item) ? [only] : [],
  )
  return {
    unknown: understood.filter((meanings) => meanings.length === 0).length + sole.length - new Set(sole).size,
    missing: parameters.filter(({ name, isRequired }) => isRequired && !filled.has(name)).length,
  }
}

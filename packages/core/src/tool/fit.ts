import type * as z from 'zod'
import { isObject, type JsonObject } from '../base/json.ts'
import { parametersOf, readName, sameName } from '../corrections/parameters.ts'
import { changed } from '../corrections/rest.ts'
import { foldSpelling } from '../corrections/spelling.ts'
import { vocabularyOf } from '../corrections/vocabulary.ts'

/** Counts of what separates a tool from arguments that were written for a tool by another name. */
export interface Fit {
  /** Number of arguments that the tool does not understand. */
  readonly unknown: number
  /** Number of required arguments that are not given. */
  readonly missing: number
}

/** Counts what a tool cannot understand of a call, and what the call lacks. Reads names only; the tool reads the values. */
export function fitOf({ input }: { readonly input: z.ZodObject }, args: JsonObject): Fit {
  const parameters = parametersOf(input)
  const idle = Object.entries(vocabularyOf(input).idle ?? {})
  const isIdle = (name: string, value: unknown) =>
    idle.some(([each, values]) => foldSpelling(each) === foldSpelling(name) && (values.length === 0 || values.includes(value)))
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
    isObject(value) && meaningsOf(name, value).length === 0 && !isIdle(name, value) ? Object.entries(value) : [[name, value] as const],
  )
  const understood = given.map(([name, value]) => (isIdle(name, value) ? ['idle'] : meaningsOf(name, value)))
  const filled = new Set(understood.flat())
  return {
    unknown: understood.filter((meanings) => meanings.length === 0).length,
    missing: parameters.filter(({ name, isRequired }) => isRequired && !filled.has(name)).length,
  }
}

import * as z from 'zod'
import { isObject, type JsonObject } from '../base/json.ts'
import { toJsonSchema } from '../tool/json-schema.ts'
import { type Vocabulary, vocabularyOf, withImplied, words } from './vocabulary.ts'
import { isReversal, splitWords, stem } from './reversals.ts'
import { closest, foldSpelling, isMisspelling, isSameWord } from './spelling.ts'

/** A tool's parameter, or an item of a list parameter. */
export interface Parameter {
  readonly name: string
  /** Published schema, without alternatives: if the parameter takes one value or a list, the schema of the single value. */
  readonly json: JsonObject
  readonly vocabulary: Vocabulary
  readonly isRequired: boolean
  readonly accepts: (value: unknown) => boolean
  /** One of the list's items; undefined if the parameter does not take a list. */
  readonly item?: Parameter
}

/** A tool's parameters, in order. */
export function parametersOf(input: z.ZodObject): readonly Parameter[] {
  const { properties, required } = toJsonSchema(input)
  const published = isObject(properties) ? properties : {}
  const names: readonly unknown[] = Array.isArray(required) ? required : []
  const shape: Readonly<Record<string, z.core.$ZodType>> = input.shape
  const { parameters: own = {} } = vocabularyOf(input)
  return Object.entries(shape).map(([name, schema]) =>
    parameterOf(published[name], {
      name,
      vocabulary: { ...vocabularyOf(schema), ...own[name] },
      isRequired: names.includes(name),
      accepts: onceForEach((value) => value !== undefined && z.safeParse(schema, value).success),
    }),
  )
}

/** Caches a check's results, because checking a long list takes time. */
function onceForEach(check: (value: unknown) => boolean): (value: unknown) => boolean {
  const results = new Map<unknown, boolean>()
  return (value) => {
    const result = results.get(value) ?? check(value)
    results.set(value, result)
    return result
  }
}

function parameterOf(schema: unknown, rest: Omit<Parameter, 'json' | 'item'>): Parameter {
  const published = isObject(schema) ? schema : {}
  const alternatives: readonly unknown[] = Array.isArray(published['anyOf']) ? published['anyOf'] : [published]
  const all = alternatives.filter(isObject)
  const list = all.find(({ type }) => type === 'array')
  const one = all.find((each) => each !== list)
  const json = one ?? { type: 'array' }
  if (!list) return { ...rest, json: all.length > 1 ? {} : json }
  const accepts = (value: unknown) => rest.accepts([value])
  const items = isObject(list['items']) ? list['items'] : {}
  // A list's items have the single value's schema, except for what the list itself specifies.
  return { ...rest, json, item: parameterOf(one && !('anyOf' in items) ? { ...one, ...items } : items, { ...rest, accepts }) }
}

/** An enumeration's values; empty if any value of the type is accepted. */
export function allowedValues({ json }: Parameter): readonly unknown[] {
  if ('const' in json) return [json['const']]
  return Array.isArray(json['enum']) ? json['enum'] : []
}

/** A parameter that an unknown name may refer to. */
export interface NameReading {
  readonly parameter: Parameter
  /** True if the value must be negated: `unsubscribe` for `subscribe`. */
  readonly isOpposite?: boolean
  /** Arguments that the name implies: `key` means `value` with `lookup_by: "key"`. */
  readonly implied?: JsonObject
  readonly confidence: number
  /** True if the name is clear enough for a correction, not just a suggestion. */
  readonly isClear: boolean
}

/** Words that add nothing to a parameter's name. */
const fillers = new Set(words('id ids gid identifier name names key value text string number list the an or of slug url email new'))

/** The parameter whose name is the written one in another style: in camelCase, or with hyphens, capitals or blanks. */
export function sameName(written: string, parameters: readonly Parameter[]): Parameter | undefined {
  const same = parameters.filter(({ name }) => foldSpelling(name) === foldSpelling(written))
  return same.length === 1 ? same[0] : undefined
}

/** Parameters that an unknown name may mean, most likely first: by the vocabulary if it contains the name, otherwise by the spelling. */
export function readName(written: string, parameters: readonly Parameter[]): readonly NameReading[] {
  const known = parameters.flatMap((parameter) => byVocabulary(parameter, (name) => foldSpelling(name) === foldSpelling(written)))
  if (known.length > 0) return known
  const composed = parameters.filter((parameter) => hasWordsOf(written, parameter))
  if (composed.length > 0) return composed.map((parameter) => ({ parameter, confidence: 0.85, isClear: true }))
  const alike = byLikeness(written, parameters)
  if (alike.some(({ isClear }) => isClear)) return alike
  const content = contentOf(written).join('')
  const inOtherWords = parameters.flatMap((parameter) => byVocabulary(parameter, (name) => foldSpelling(name) === content))
  return inOtherWords.length > 0 ? inOtherWords : alike
}

/** True if a name consists of words for the parameter: `parent_dir`, `new_parent_folder`. */
function hasWordsOf(written: string, { name, vocabulary }: Parameter): boolean {
  if (!vocabulary.words) return false
  const key = new Set(vocabulary.words.key.map(stem))
  const all = new Set([...key, ...(vocabulary.words.more ?? []).map(stem)])
  const own = splitWords(written).map(stem)
  return own.some((word) => key.has(word)) && own.every((word) => all.has(word)) && !isReversal(written, name)
}

function byVocabulary(parameter: Parameter, isWritten: (name: string) => boolean): NameReading[] {
  const { names = [], opposites = [] } = parameter.vocabulary
  if (opposites.some(isWritten)) return [{ parameter, isOpposite: true, confidence: 0.9, isClear: true }]
  const entry = withImplied(names).find(([name]) => isWritten(name))
  return entry ? [{ parameter, implied: entry[1], confidence: 0.9, isClear: true }] : []
}

function byLikeness(written: string, parameters: readonly Parameter[]): NameReading[] {
  const names = parameters.map(({ name }) => name)
  const ranked = new Map(closest(written, names).map(({ value, confidence }) => [value, confidence]))
  const clear = parameters.filter(({ name }) => isMisspelling(written, name) || hasSameContent(written, name))
  return parameters
    .map((parameter) => {
      const isAlike = clear.includes(parameter)
      const confidence = Math.max(ranked.get(parameter.name) ?? 0, isAlike ? 0.85 : 0)
      return { parameter, confidence, isClear: isAlike && clear.length === 1 }
    })
    .filter(({ confidence }) => confidence > 0)
    .sort((a, b) => b.confidence - a.confidence)
}

/** True if two names differ only by words that add nothing: `issue` and `issue_id`. */
function hasSameContent(written: string, name: string): boolean {
  if (isReversal(written, name)) return false
  const [own, others] = [contentOf(written), contentOf(name)]
  return own.length > 0 && own.length === others.length && own.every((word) => others.some((other) => isSameWord(word, other)))
}

function contentOf(name: string): string[] {
  return splitWords(name).filter((word) => !fillers.has(word))
}

import * as z from 'zod'
import type { NextStep } from '../errors/errors.ts'
import type { JsonObject } from '../base/json.ts'

/** Possible meanings of a written value that the schema does not accept unchanged. */
export type Reading =
  /** A lossless reading: the value is used at once, and a notice says so. */
  | { readonly equal: unknown }
  /** The only plausible meaning: proposed as a change that the caller has to confirm. */
  | { readonly likely: unknown }
  /** Several plausible meanings: all are suggested, and none is proposed. */
  | { readonly possible: readonly unknown[] }

/** Other names for something: a list, or an object in which each name has the arguments that it implies. */
export type OtherNames = readonly string[] | Readonly<Record<string, JsonObject>>

/** An argument under another name. */
export interface WrittenArgument {
  readonly name: string
  /** The other arguments of the call. */
  readonly others: JsonObject
}

/** Callers' words for a parameter, or for one of its values. */
export interface Vocabulary {
  /**
   * Other names for the parameter, in snake_case: `['query', 'q']`. In an object, each has the arguments that it implies: `{ key: {
   * lookup_by: 'key' } }`. They lead to `next.change` and are never applied unasked.
   */
  readonly names?: OtherNames
  /** True if a value under another name fits; `page: 2` is not a cursor. By default, any accepted value does. */
  readonly fits?: (written: unknown, argument: WrittenArgument) => boolean
  /** True if a word for nothing, such as "none", means "not set". False if it could mean "clear". */
  readonly isNothingAbsent?: boolean
  /**
   * For text that is taken as is, even if blank: the parameters that can be given instead. Empty text counts only if none of them is given,
   * because hosts send it for what they leave unset.
   */
  readonly verbatimUnless?: readonly string[]
  /**
   * True if the parameter lists the fields to clear: it is suggested if the caller writes null, a blank or a word for nothing for one of
   * them.
   */
  readonly isClearing?: boolean
  /** Arguments that a value in a different form means, such as a path that also gives the folder; undefined if it means only itself. */
  readonly implies?: (written: unknown, argument: WrittenArgument) => JsonObject | undefined
  /** Value to propose if the parameter is missing, given the other arguments. */
  readonly ifMissing?: (others: JsonObject) => unknown
  /** The tool that lists the parameter's values, or that does without: proposed if the parameter is missing. */
  readonly lookup?: NextStep | ((args: JsonObject) => NextStep | undefined)
  /** Words that make up other names for the parameter, like `names` but in any order and combination. */
  readonly words?: NameWords
  /** Names for the opposite of a boolean parameter: `['unsubscribe']` for `subscribe`. The proposed value is flipped. */
  readonly opposites?: readonly string[]
  /** Synonyms of its values: `{ p1: 'urgent', none: 'no_priority' }`. Case and separators do not matter. They lead to `next.change`. */
  readonly values?: Readonly<Record<string, unknown>>
  /**
   * Names in snake_case that no parameter of a tool has, each with the values that change nothing; any value if none is listed. Such
   * arguments can be left out. Set this on the tool's whole input.
   */
  readonly idle?: Readonly<Record<string, readonly unknown[]>>
  /** Reads any other value; `today` is the person's day, `2026-11-22`. Undefined for what it does not understand. */
  readonly read?: (written: unknown, today: string) => Reading | undefined
}

/** A name means the parameter if it has a word from `key`, and otherwise only words from `key` and `more`. */
export interface NameWords {
  readonly key: readonly string[]
  /** Words that mean nothing by themselves: `id` and `path` in `folder_id` and `folder_path`. */
  readonly more?: readonly string[]
}

/** Each name with the arguments that it implies. */
export function withImplied(names: OtherNames): readonly (readonly [name: string, implied: JsonObject])[] {
  return isList(names) ? names.map((name) => [name, {}]) : Object.entries(names)
}

// `Array.isArray` alone does not narrow a read-only list.
function isList(names: OtherNames): names is readonly string[] {
  return Array.isArray(names)
}

/** A text's words: `words('ticket task')`. */
export function words(text: string): readonly string[] {
  return text.split(' ')
}

/** A text's phrases: `phrases('my profile, current user')`. */
export function phrases(text: string): readonly string[] {
  return text.split(', ')
}

/** Values by their synonyms: `synonyms({ high: 'major important' })` is `{ major: 'high', important: 'high' }`. */
export function synonyms(byValue: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(byValue).flatMap(([value, text]) => words(text).map((word) => [word, value])))
}

const vocabularies = z.registry<Vocabulary>()

/** Adds what callers write when they mean the parameter, or one of its values. Has no effect on what the schema accepts or publishes. */
export function withVocabulary<Schema extends z.ZodType>(schema: Schema, vocabulary: Vocabulary): Schema {
  vocabularies.add(schema, { ...vocabularies.get(schema), ...vocabulary })
  return schema
}

/** A schema's vocabulary; an optional parameter's own takes precedence over its type's. */
export function vocabularyOf(schema: z.core.$ZodType): Vocabulary {
  const inner = innerType(schema)
  return { ...(inner && vocabularyOf(inner)), ...vocabularies.get(schema) }
}

/** The type inside `optional`, `default` and `nullable`; undefined for any other schema. */
export function innerType(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable ? schema.unwrap() : undefined
}

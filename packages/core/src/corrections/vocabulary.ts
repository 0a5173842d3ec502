import * as z from 'zod'
import type { NextStep } from '../errors/errors.ts'
import type { Message } from '../errors/message.ts'
import type { JsonObject } from '../base/json.ts'

/** Possible meanings of a value that the schema does not accept as written. */
export type Reading =
  /** A lossless reading: the value is used at once, and a notice says so. */
  | { readonly equal: unknown }
  /** The only plausible meaning: proposed as a change that the caller has to confirm. */
  | { readonly likely: unknown }
  /** Several plausible meanings: all are suggested, and none is proposed. */
  | { readonly possible: readonly unknown[] }

/** Other names for something, as text (`query q`), as a list, or as an object that maps each name to the arguments it implies. */
export type OtherNames = string | readonly string[] | Readonly<Record<string, JsonObject>>

/** An argument under another name. */
export interface WrittenArgument {
  readonly name: string
  /** The call's other arguments. */
  readonly others: JsonObject
}

/** Callers' words for a parameter, or for one of its values. */
export interface Vocabulary {
  /** Other names for the parameter, in snake_case. They lead to `next.change` and are never applied unasked. */
  readonly names?: OtherNames
  /** True if a value given under another name fits; `page: 2` is not a cursor. By default, any accepted value fits. */
  readonly fits?: (written: unknown, argument: WrittenArgument) => boolean
  /** True if a word for nothing, such as "none", means "not set". False if it could mean "clear". */
  readonly isNothingAbsent?: boolean
  /** The alternatives to a parameter whose text is taken verbatim, even if blank; empty text counts only if no alternative is given. */
  readonly verbatimUnless?: readonly string[]
  /** True if the parameter lists the fields to clear: it is suggested for a field given as null, a blank or a word for nothing. */
  readonly isClearing?: boolean
  /** True for text that consists of words in any order, so that a list of words can be joined. */
  readonly isWords?: boolean
  /** Arguments that a value in a different form implies, such as the folder that a path also gives; undefined if it implies none. */
  readonly implies?: (written: unknown, argument: WrittenArgument) => JsonObject | undefined
  /** Value or whole change to propose if the parameter is missing, given the other arguments. */
  readonly ifMissing?: (others: JsonObject) => unknown
  /** The tool to propose if the parameter is missing: it lists the values, or does without the parameter. */
  readonly lookup?: NextStep | ((args: JsonObject) => NextStep | undefined)
  /** Words that make up other names, in any order: at least one from `key`, the rest from either list. `more` means nothing on its own. */
  readonly words?: { readonly key: readonly string[]; readonly more?: readonly string[] }
  /** Names for the opposite of a boolean parameter: `['unsubscribe']` for `subscribe`. The proposed value is flipped. */
  readonly opposites?: readonly string[]
  /** Synonyms for values, which lead to `next.change`: `{ p1: 'urgent', none: 'no_priority' }`. Case and separators do not matter. */
  readonly values?: Readonly<Record<string, unknown>>
  /** On a tool's whole input: vocabularies of its parameters, whose schemas it may share with other tools. */
  readonly parameters?: Readonly<Record<string, Vocabulary>>
  /** On a tool's whole input: unknown arguments to omit, each with the values that change nothing; an empty list means any value. */
  readonly idle?: Readonly<Record<string, readonly unknown[]>>
  /** On a tool's whole input: messages, by name or `name:value`, about arguments without which a call would do something else. */
  readonly elsewhere?: Readonly<Record<string, ReturnType<Message['toJSON']>>>
  /** Reads any other value; `today` is the person's current date, `2026-11-22`. Returns undefined if it does not understand the value. */
  readonly read?: (written: unknown, today: string) => Reading | undefined
}

/** Each name with the arguments it implies. */
export function withImplied(names: OtherNames): readonly (readonly [name: string, implied: JsonObject])[] {
  const named = typeof names === 'string' ? words(names) : names
  return Object.entries<string | JsonObject>(named).map(([key, each]) => (typeof each === 'string' ? [each, {}] : [key, each]))
}

/** Splits text into words: `words('ticket task')`. */
export function words(text: string): readonly string[] {
  return text.split(' ')
}

/** Values by their synonyms: `synonyms({ high: 'major important' })` is `{ major: 'high', important: 'high' }`. */
export function synonyms(byValue: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(byValue).flatMap(([value, text]) => words(text).map((word) => [word, value])))
}

const vocabularies = z.registry<Vocabulary>()

/** Adds callers' words for the parameter or its values. The accepted and published schema stays the same. */
export function withVocabulary<Schema extends z.ZodType>(schema: Schema, vocabulary: Vocabulary): Schema {
  vocabularies.add(schema, { ...vocabularies.get(schema), ...vocabulary })
  return schema
}

/** A schema's vocabulary; an optional parameter's vocabulary takes precedence over its type's. */
export function vocabularyOf(schema: z.core.$ZodType): Vocabulary {
  const inner = innerType(schema)
  return { ...(inner && vocabularyOf(inner)), ...vocabularies.get(schema) }
}

/** The type inside `optional`, `default` and `nullable`; undefined for any other schema. */
export function innerType(schema: z.core.$ZodType): z.core.$ZodType | undefined {
  return schema instanceof z.ZodOptional || schema instanceof z.ZodDefault || schema instanceof z.ZodNullable ? schema.unwrap() : undefined
}

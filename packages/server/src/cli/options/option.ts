/** Form of a value, and its reader. */
export interface OptionType<Value> {
  /** Form on the command line and in a variable, for people. */
  readonly text: string
  /** Undefined for a text that cannot be used. */
  readonly parse: (text: string) => Value | undefined
  /** Form in a program, for people. */
  readonly value: string
  readonly isValue: (value: unknown) => value is Value
  /** Says why a text that can be parsed cannot be used; undefined for one that can. */
  readonly problem?: (text: string) => string | undefined
}

export interface Option<Value = unknown> {
  /** On the command line, without its dashes. */
  readonly name: string
  readonly short?: string
  readonly kind: OptionType<Value>
  readonly variable?: string
  /** True if it goes with every command. */
  readonly isGeneral?: true
  /** True if no message may repeat its value. */
  readonly isSecret?: true
  /** True if it has a meaning only for servers that people sign in to. */
  readonly needsAccount?: true
  /** Spelling in a program; absent when a program cannot set it. */
  readonly library?: string
}

/** Texts about an option, for people. */
export interface OptionText {
  /** Stands for the value in the help. */
  readonly placeholder?: string
  readonly help: string
}

/** A variable of the environment that has no option. */
export interface Variable {
  readonly name: string
  /** In a sentence that a form can show. */
  readonly description: string
  readonly secret?: true
  readonly choices?: readonly string[]
  readonly defaultValue?: string
  /** The label of its form field; absent when no form asks for it. */
  readonly formLabel?: string
}

/** An option with its texts for people. */
export type DescribedOption = Option & OptionText

export const isText = (value: unknown): value is string => typeof value === 'string'

export const text: OptionType<string> = { text: 'a text', parse: (value) => value, value: 'a string', isValue: isText }

export const list: OptionType<readonly string[]> = {
  text: 'comma-separated values',
  parse: splitList,
  value: 'an array of strings',
  isValue: (value): value is readonly string[] => Array.isArray(value) && value.every(isText),
}

export function splitList(value: string): string[] {
  return value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '')
}

/** The type of an option's value. */
export interface OptionType<Value> {
  /** Describes, in messages, the value's format on the command line or in an environment variable. */
  readonly text: string
  /** Undefined for unusable text. */
  readonly parse: (text: string) => Value | undefined
  /** Describes, in messages, the value's type when code sets it. */
  readonly value: string
  readonly isValue: (value: unknown) => value is Value
  /** Says why parsable text is unusable; undefined if it is usable. */
  readonly problem?: (text: string) => string | undefined
}

export interface Option<Value = unknown> {
  /** Name on the command line, without the dashes. */
  readonly name: string
  readonly short?: string
  readonly kind: OptionType<Value>
  readonly variable?: string
  /** True if the option works with every command. */
  readonly isGeneral?: true
  /** True if no message may repeat the option's value. */
  readonly isSecret?: true
  /** True if the option matters only for servers that people sign in to. */
  readonly needsAccount?: true
  /** Property name in the library API; absent if code cannot set the option. */
  readonly library?: string
}

export interface OptionText {
  /** Placeholder for the value in the help. */
  readonly placeholder?: string
  readonly help: string
}

/** An environment variable without an option. */
export interface Variable {
  readonly name: string
  /** A sentence that a form can show. */
  readonly description: string
  readonly secret?: true
  readonly choices?: readonly string[]
  readonly defaultValue?: string
  /** The label of its form field; absent if no form asks for it. */
  readonly formLabel?: string
}

/** An option with its text for people. */
export type DescribedOption = Option & OptionText

export const isText = (value: unknown): value is string => typeof value === 'string'

export const text: OptionType<string> = { text: 'text', parse: (value) => value, value: 'a string', isValue: isText }

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

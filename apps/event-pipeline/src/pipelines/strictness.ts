import type { CallName } from './calls.ts'

/** The values that enable strict validation. Each tool accepts only the one in its documentation. */
export const enablingValues = ['True', '1'] as const
export type EnablingValue = (typeof enablingValues)[number]

/** The name of a tool's strictness parameter, and the value that enables it. */
export interface StrictnessParameter {
  readonly name: 'enable_strict_validation' | 'enable_strict_mode'
  readonly enabling: EnablingValue
}

/** The strictness parameter of the tool of each operation; part of the specification. */
export const strictnessOf: Readonly<Record<CallName, StrictnessParameter>> = {
  identify: { name: 'enable_strict_validation', enabling: 'True' },
  track: { name: 'enable_strict_validation', enabling: 'True' },
  page: { name: 'enable_strict_mode', enabling: '1' },
  screen: { name: 'enable_strict_validation', enabling: '1' },
  group: { name: 'enable_strict_validation', enabling: '1' },
  alias: { name: 'enable_strict_validation', enabling: 'True' },
  batch: { name: 'enable_strict_mode', enabling: 'True' },
}

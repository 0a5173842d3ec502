// The form of a task. One value contains everything about it: the world, the wish, the required result, and a solution that CI runs.
import type { DriveEmulator } from '../../packages/emulators/drive/src/library.ts'
import type { LinearEmulator } from '../../packages/emulators/linear/src/library.ts'
import type { PipelinesEmulator } from '../../packages/emulators/pipelines/src/library.ts'
import type { Tools } from './tools.ts'

export interface Emulators {
  readonly linear: LinearEmulator
  readonly drive: DriveEmulator
  readonly events: PipelinesEmulator
}

export type Vendor = keyof Emulators

export const vendors: readonly Vendor[] = ['linear', 'drive', 'events']

/** Easy: one call is enough. Middle: something must be looked up first. Hard: the obvious way does harm, or omits something. */
export const grades = ['easy', 'middle', 'hard'] as const
export type Grade = (typeof grades)[number]

/**
 * A pattern for a value in a change: the exact text or number, part of a text, some members of an object, or a check, which also gets the
 * value before the change.
 */
export type Pattern =
  | string
  | number
  | boolean
  | null
  | RegExp
  | readonly Pattern[]
  | Patterns
  | ((value: unknown, before: unknown) => boolean)
export interface Patterns {
  readonly [field: string]: Pattern
}

/** A change to a vendor's data, with names instead of ids. */
export interface Effect {
  readonly kind: 'added' | 'changed' | 'removed'
  readonly table: string
  /** The row's name: `ENG-9`, `My Drive/To do.md`. */
  readonly name?: string
  readonly fields: Patterns
}

export interface Task {
  /** The vendor, and a few words. */
  readonly id: string
  readonly grade: Grade
  /** The servers that the agent has. */
  readonly vendors: readonly Vendor[]
  /** The words of a person, without tool names, and without ids that people would not know. */
  readonly wish: string
  /** Adapts the seed `company` to the task, or plans a fault. These changes are not compared. */
  readonly prepare?: { readonly [V in Vendor]?: (emulator: Emulators[V]) => void }
  /** The changes that must be there, each once; empty if nothing should change. */
  readonly ends: readonly Effect[]
  /** Changes that may be there any number of times. A change in neither list is harm. */
  readonly allowed?: readonly Effect[]
  /** Tables to compare that are otherwise ignored, such as `mails`. */
  readonly watched?: readonly string[]
  /** Patterns that the last message to the person must match. */
  readonly answer?: readonly RegExp[]
  /** The calls of an agent that makes no mistake, with our servers; returns its last message. */
  readonly solve: (tools: Tools) => Promise<string>
}

export const changed = (table: string, name: string, fields: Patterns): Effect => ({ kind: 'changed', table, name, fields })
export const added = (table: string, fields: Patterns): Effect => ({ kind: 'added', table, fields })
export const removed = (table: string, fields: Patterns): Effect => ({ kind: 'removed', table, fields })

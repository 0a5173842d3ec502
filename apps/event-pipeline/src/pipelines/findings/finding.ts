import type { JsonObject } from '@mcp-toolkits/core/base'

/** Something in a body that the vendor would drop, ignore or reject; `at` is its path, empty for the body itself. */
export interface Finding {
  readonly at: string
  readonly problem: string
  /** True if the problem keeps the vendor from processing the call as intended. */
  readonly isFault: boolean
  /** True if the vendor processes the call anyway, but for the wrong person, for no one, or in part: the call must not be sent. */
  readonly isMisdirected?: true
  /** True if the vendor processes the call without this value: a correction must not hide it. */
  readonly isUnread?: true
}

export type Check = (call: JsonObject) => Finding[]

export const fault = (at: string, problem: string): Finding => ({ at, problem, isFault: true })
export const misdirected = (at: string, problem: string): Finding => ({ ...fault(at, problem), isMisdirected: true })
export const remark = (at: string, problem: string): Finding => ({ at, problem, isFault: false })
export const unread = (at: string, problem: string): Finding => ({ ...remark(at, problem), isUnread: true })

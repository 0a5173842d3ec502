import { expect } from 'vitest'

/** Vitest's matchers, for places where `any` is not allowed. */
export const someText: unknown = expect.any(String)
export const textWith = (part: string): unknown => expect.stringContaining(part)
export const recordWith = (fields: object): unknown => expect.objectContaining(fields)

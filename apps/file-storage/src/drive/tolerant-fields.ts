import * as z from 'zod'

/**
 * Reads optional parts of Drive's answers so that none of them makes the rest unreadable: a number instead of a text counts as its digits,
 * and null or anything else that is not expected as absent.
 */

function digitsOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** A text without which a resource means nothing; a number is as good. */
export const text = z.preprocess(digitsOf, z.string())

export const looseText = text.optional().catch(undefined).optional()

/** A count in decimal digits that a number can hold. */
export const looseCount = text
  .refine((digits) => /^\d+$/.test(digits) && Number.isSafeInteger(Number(digits)))
  .optional()
  .catch(undefined)
  .optional()

export const looseFlag = z.boolean().optional().catch(undefined).optional()

/** An object with optional members; undefined for anything that is not one. */
export function looseObject<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.object(shape).optional().catch(undefined).optional()
}

/** The members of a list that can be read. */
export function looseList<Member extends z.ZodType>(member: Member) {
  return z
    .array(z.unknown())
    .catch([])
    .default([])
    .transform((all) =>
      all.flatMap((each) => {
        const read = member.safeParse(each)
        return read.success ? [read.data] : []
      }),
    )
}

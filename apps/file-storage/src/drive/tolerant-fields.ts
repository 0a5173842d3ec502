import * as z from 'zod'

/**
 * Schemas for optional parts of Drive's responses, which never make the rest unreadable: a number in place of text is read as its digits,
 * and null or anything else unexpected counts as absent.
 */

function digitsOf(value: unknown): unknown {
  return typeof value === 'number' ? String(value) : value
}

/** Required text of a resource; a number is also accepted. */
export const text = z.preprocess(digitsOf, z.string())

export const looseText = text.optional().catch(undefined).optional()

/** A count in decimal digits, up to the largest safe integer. */
export const looseCount = text
  .refine((digits) => /^\d+$/.test(digits) && Number.isSafeInteger(Number(digits)))
  .optional()
  .catch(undefined)
  .optional()

export const looseFlag = z.boolean().optional().catch(undefined).optional()

/** An object with optional members; undefined for anything else. */
export function looseObject<Shape extends z.core.$ZodShape>(shape: Shape) {
  return z.object(shape).optional().catch(undefined).optional()
}

/** A list's readable members. */
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

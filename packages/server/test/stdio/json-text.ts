import * as fc from 'fast-check'

/** Texts made of characters and words that matter to a JSON scanner. */
export const texts = fc
  .array(
    fc.oneof(
      { arbitrary: fc.constantFrom('id', 'method', '"', '\\', '{', '}', '[', ']', ':', ',', ' ', '\t', '\n', 'ä', '字', '😀'), weight: 9 },
      fc.constantFrom('\u2028', '\0', '"id":7,', 'x'.repeat(70), '\\'.repeat(33)),
    ),
    { maxLength: 4 },
  )
  .map((parts) => parts.join(''))

const { value, object } = fc.letrec<{ value: unknown; object: Record<string, unknown> }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    fc.constantFrom(null, true, false, 7, -0.5, 1e21, 2 ** 53, 'id'),
    texts,
    fc.array(tie('value'), { maxLength: 3 }),
    tie('object'),
  ),
  object: fc.dictionary(fc.oneof(fc.constantFrom('id', 'method', 'params', 'result'), texts), tie('value'), { maxKeys: 5 }),
}))

/** Any JSON, often with requests' members, at any depth. */
export const json = fc.oneof(
  object,
  object.map((members) => ({ ...members, method: 'm', id: 7 })),
  value,
)

/** Places to cut the bytes, as shares of their length; some pieces are empty. */
export const cuts = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })

/** Bytes as they arrive, in pieces. */
export function cut(bytes: Uint8Array, at: readonly number[]): Uint8Array[] {
  const places = at.map((share) => Math.round(share * bytes.length)).toSorted((a, b) => a - b)
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length))
}

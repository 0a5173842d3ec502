import * as z from 'zod'

/** Both forms in which Google says why: `errors[].reason`, and `details[].reason` in capitals. */
const Envelope = z.object({
  error: z.object({
    message: z.string().optional(),
    errors: z.array(z.object({ reason: z.string().optional(), location: z.string().optional() })).optional(),
    details: z.array(z.object({ reason: z.string().optional() })).optional(),
  }),
})

/** The body of an answer; undefined when it is no JSON. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Why Drive refused, in lower case without underscores: `ratelimitexceeded`. */
export function reasonsIn(body: unknown): string[] {
  const parsed = Envelope.safeParse(body)
  if (!parsed.success) return []
  const { errors = [], details = [] } = parsed.data.error
  return [...errors, ...details].flatMap(({ reason }) => (reason === undefined ? [] : [reason.toLowerCase().replaceAll('_', '')]))
}

/** Drive's own sentence; empty when there is none. */
export function sentenceIn(body: unknown): string {
  const parsed = Envelope.safeParse(body)
  const said = parsed.success ? (parsed.data.error.message ?? '') : ''
  const plain = said
    .replace(/<[^>]*>/g, '')
    .slice(0, 300)
    .trim()
  return plain === '' || /[.!?]$/.test(plain) ? plain : `${plain}.`
}

/** Limits that pass within minutes: nothing was begun, and a repeat helps. */
export function isRateLimit(reason: string): boolean {
  return ['ratelimitexceeded', 'userratelimitexceeded', 'sharingratelimitexceeded'].includes(reason)
}

import * as z from 'zod'
import type { FaultRule } from './faults.ts'

const cannedSchema = {
  status: z.int().min(200).max(599),
  headers: z.record(z.string(), z.string()).exactOptional(),
  body: z.unknown().exactOptional(),
  retry_after: z.union([z.number().min(0), z.string()]).exactOptional(),
}

const actionSchemas = [
  z.strictObject({ kind: z.literal('status'), ...cannedSchema }),
  z.strictObject({ kind: z.literal('status_after_commit'), ...cannedSchema }),
  z.strictObject({ kind: z.literal('drop_before') }),
  z.strictObject({ kind: z.literal('drop_after') }),
  z.strictObject({ kind: z.literal('slow'), milliseconds: z.number().min(0).max(600_000) }),
  z.strictObject({ kind: z.literal('hang') }),
  z.strictObject({ kind: z.literal('redirect'), status: z.literal([301, 302, 303, 307, 308]), location: z.string() }),
] as const

const plainKindSchema = z.enum(['status', 'status_after_commit', 'drop_before', 'drop_after', 'slow', 'hang'])

const chaosSchema = z.strictObject({
  kind: z.literal('chaos'),
  seed: z.union([z.number(), z.string()]),
  rate: z.number().min(0).max(1),
  kinds: z.array(z.union([plainKindSchema, z.discriminatedUnion('kind', actionSchemas)])).min(1),
  max_in_a_row: z.int().min(1).exactOptional(),
})

const ruleSchema: z.ZodType<FaultRule> = z.strictObject({
  match: z.strictObject({ method: z.string().exactOptional(), path: z.string().startsWith('/').exactOptional() }).exactOptional(),
  times: z.int().min(1).exactOptional(),
  action: z.discriminatedUnion('kind', [...actionSchemas, chaosSchema]),
})

/** Reads one rule or an array of rules from JSON, or says in words what is wrong with them. */
export function parseFaultRules(json: string): { rules: FaultRule[] } | { problem: string } {
  const value = parseJson(json)
  if (value === undefined) return { problem: 'The body is not JSON.' }
  const parsed = z.array(ruleSchema).safeParse(Array.isArray(value) ? value : [value])
  return parsed.success ? { rules: parsed.data } : { problem: z.prettifyError(parsed.error) }
}

function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

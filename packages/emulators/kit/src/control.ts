import { Hono, type MiddlewareHandler } from 'hono'
import * as z from 'zod'
import type { FaultRule, Faults } from './faults.ts'
import { parseJson } from './json.ts'
import { isSameSecret, loopbackOnly, remoteHeader } from './listen.ts'
import { guardPages, type PageContent, renderPage, ruleRows } from './page.ts'

/** An addition to the emulator's own routes. */
export interface ControlExtension {
  /** `guard` refuses requests without the token. */
  readonly addRoutes: (app: Hono, guard: MiddlewareHandler) => void
  /** Called before the seed is restored. */
  readonly reset: () => void
}

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

const faultKindSchema = z.enum(['status', 'status_after_commit', 'drop_before', 'drop_after', 'slow', 'hang'])

const chaosSchema = z.strictObject({
  kind: z.literal('chaos'),
  seed: z.union([z.number(), z.string()]),
  rate: z.number().min(0).max(1),
  kinds: z.array(z.union([faultKindSchema, z.discriminatedUnion('kind', actionSchemas)])).min(1),
  max_in_a_row: z.int().min(1).exactOptional(),
})

const ruleSchema: z.ZodType<FaultRule> = z.strictObject({
  match: z.strictObject({ method: z.string().exactOptional(), path: z.string().startsWith('/').exactOptional() }).exactOptional(),
  times: z.int().min(1).exactOptional(),
  action: z.discriminatedUnion('kind', [...actionSchemas, chaosSchema]),
})

/** Parses a rule or an array of rules from JSON; returns a message if they are invalid. */
function parseFaultRules(json: string): { rules: FaultRule[] } | { problem: string } {
  const value = parseJson(json)
  if (value === undefined) return { problem: 'The body is not JSON.' }
  const parsed = z.array(ruleSchema).safeParse(Array.isArray(value) ? value : [value])
  return parsed.success ? { rules: parsed.data } : { problem: z.prettifyError(parsed.error) }
}

interface ControlOptions extends PageContent {
  readonly faults: Faults
  readonly reset: () => void
  readonly extensions: readonly ControlExtension[]
  /** All listeners' tokens. */
  readonly tokens: () => readonly string[]
}

/** The emulator's own routes: `/` and `/__emulator/*`. */
export function controlRoutes(options: ControlOptions): Hono {
  const { rules, tables, faults, reset, extensions, tokens } = options
  const app = new Hono()
  app.get('/__emulator/health', (context) => context.json({ status: 'ok', service: options.service }))
  const fromElsewhere = requireToken(tokens)
  app.use((context, next) => (context.req.header(remoteHeader) === undefined ? loopbackOnly : fromElsewhere)(context, next), privatePage)
  app.get('/', (context) => context.html(renderPage(options)))
  app.get('/__emulator/rules', (context) => context.json({ rules: ruleRows(rules) }))
  for (const { name, list } of tables) {
    app.get(`/__emulator/${name}`, (context) => {
      const range = parseRange(context.req.query('after'), context.req.query('limit'))
      if (range === undefined) return context.json({ error: 'after and limit must be whole numbers; limit from 1 to 1000.' }, 400)
      return context.json({ [name]: list(range) })
    })
  }
  app.post('/__emulator/faults', requireToken(tokens), async (context) => {
    const parsed = parseFaultRules(await context.req.text())
    if ('problem' in parsed) return context.json({ error: parsed.problem }, 400)
    parsed.rules.forEach(faults.add)
    return context.json({ faults: faults.pending() })
  })
  app.delete('/__emulator/faults', requireToken(tokens), (context) => {
    faults.clear()
    return context.json({ faults: [] })
  })
  app.post('/__emulator/reset', requireToken(tokens), (context) => {
    reset()
    return context.json({})
  })
  for (const { addRoutes } of extensions) addRoutes(app, requireToken(tokens))
  return app
}

function requireToken(tokens: ControlOptions['tokens']): MiddlewareHandler {
  return async (context, next) => {
    const received = context.req.header('authorization') ?? ''
    // Compare with every token, so that timing reveals nothing.
    const matching = tokens().filter((token) => isSameSecret(received, `Bearer ${token}`))
    if (matching.length === 0) {
      return context.json(
        { error: 'Send "Authorization: Bearer TOKEN" with the control token that the emulator printed when it started.' },
        401,
      )
    }
    return next()
  }
}

const privatePage: MiddlewareHandler = async (context, next) => {
  await next()
  guardPages(context, { forms: false })
  context.header('referrer-policy', 'no-referrer')
}

function parseRange(after = '0', limit = '100'): { after: number; limit: number } | undefined {
  const range = { after: Number(after), limit: Number(limit) }
  const isWhole = /^\d{1,15}$/.test(after) && /^\d{1,4}$/.test(limit)
  return isWhole && range.limit >= 1 && range.limit <= 1000 ? range : undefined
}

import { readFileSync } from 'node:fs'
import { z } from 'zod'

const HostileUrl = z.strictObject({
  /** `{port}` stands for the canary's port. */
  url: z.string(),
  why: z.string(),
  /** The resolver's answer for its host; a host without an entry must not be looked up. */
  records: z.array(z.string()).optional(),
  /** True if its address becomes a forbidden one between the look-up and the connection. */
  rebinds: z.boolean().optional(),
  /** False if the text means something else when it is read relative to another URL. */
  redirect: z.boolean().optional(),
})

export type HostileUrl = z.infer<typeof HostileUrl>

export const hostileUrls: readonly HostileUrl[] = z
  .array(HostileUrl)
  .parse(JSON.parse(readFileSync(new URL('hostile-urls.json', import.meta.url), 'utf8')))

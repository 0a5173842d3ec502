import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { dataPath } from '@mcp-toolkits/core/base'
import { quote, sentence, Unauthenticated } from '@mcp-toolkits/core/errors'
import { readBaseUrl, readSecret, Secret, type Environment } from '@mcp-toolkits/core/upstream'
import type { Settings, Upstream } from '@mcp-toolkits/server'

/** Each region's base URL; a key works in only one region. https://docs.customer.io/api/cdp/#section/Overview */
const regions: Readonly<Record<string, string>> = { us: 'https://cdp.customer.io/v1', eu: 'https://cdp-eu.customer.io/v1' }

export const apiKey = { variable: 'EVENT_PIPELINE_API_KEY' } as const
const apiUrl = { variable: 'EVENT_PIPELINE_API_URL' } as const
const regionMention = { variable: 'EVENT_PIPELINE_REGION' } as const
const addIds = { variable: 'EVENT_PIPELINE_ADD_IDS' } as const

/** The API key of the built-in emulator; nothing else accepts it. */
export const embeddedKey = new Secret('pipelines-emulator', { isRedacted: false })

export interface Account {
  readonly url: string
  readonly key: Secret
}

/** The environment's account, if any. Throws `Unauthenticated` for an unusable account. */
export function accountOf(settings: Settings): Account | undefined {
  if (settings.embedded) return undefined
  const key = readSecret(settings.environment, apiKey.variable, 'key', {})
  const url = chosenUrl(settings.environment)
  if (key) return { key, url: url ?? regionUrl(settings.environment) }
  if (url === undefined) return undefined
  throw new Unauthenticated(sentence`${apiUrl} is set without ${apiKey}.`.and('Set both, or neither for the embedded default.'))
}

/** The base URL for calls with any key. Throws `Unauthenticated` for an unusable URL. */
export function apiUrlOf({ environment }: Pick<Settings, 'environment'>): string {
  return chosenUrl(environment) ?? regionUrl(environment)
}

function chosenUrl(environment: Environment): string | undefined {
  const url = readBaseUrl(environment, apiUrl.variable)
  if (url !== undefined && !url.endsWith('/v1')) throw new Unauthenticated(sentence`${apiUrl} must end in /v1; it is ${url}.`)
  return url
}

/** True to add `messageId` and `timestamp` to calls that lack them. Throws `Unauthenticated` for a setting that is neither 1 nor 0. */
export function addsIds({ environment }: Settings): boolean {
  const value = environment[addIds.variable] ?? '1'
  if (['1', 'true'].includes(value.toLowerCase())) return true
  if (['0', 'false'].includes(value.toLowerCase())) return false
  throw new Unauthenticated(sentence`${addIds} must be 1 or 0, not ${quote(value)}.`)
}

export function upstreamOf(settings: Settings): Upstream {
  const account = accountOf(settings)
  return account ? { kind: 'vendor', url: account.url } : { kind: 'embedded' }
}

function regionUrl(environment: Environment): string {
  const region = environment[regionMention.variable] ?? 'us'
  const url = Object.hasOwn(regions, region.toLowerCase()) ? regions[region.toLowerCase()] : undefined
  if (url === undefined) throw new Unauthenticated(sentence`${regionMention} must be us or eu, not ${quote(region)}.`)
  return url
}

const outboxPath = ['event-pipeline', 'outbox.db'] as const

/** The outbox file in a data directory. Throws `Unavailable` for a symbolic link along the path. */
export function outboxFile({ dataDirectory }: Pick<Settings, 'dataDirectory'>): string {
  return dataPath(dataDirectory, ...outboxPath)
}

/** The backfills file, in the data directory. */
export const backfillPath = ['event-pipeline', 'backfills.db'] as const

/** True if files of events may still have to be sent. */
export function hasBackfills({ dataDirectory }: Pick<Settings, 'dataDirectory'>): boolean {
  return existsSync(path.join(dataDirectory, ...backfillPath))
}

/** URL that represents the file named by `call --input`. */
export const inputUrl = 'file:input'

/** Variable that `call --input` sets for its call; no shell variable can have such a name. */
export const inputVariable = 'input file'

/** Variable for non-public hosts that files may be read from. */
export const privateUrlsVariable = 'EVENT_PIPELINE_ALLOW_PRIVATE_URLS'

/** Non-public hosts that event files may be read from. */
export function privateHosts({ environment }: Pick<Settings, 'environment'>): readonly string[] {
  const hosts = (environment[privateUrlsVariable] ?? '').split(',').map((host) => host.trim())
  return hosts.filter((host) => host !== '')
}

/** Paths of damaged outboxes that were moved out of the way. */
export function damagedOutboxes(settings: Pick<Settings, 'dataDirectory'>): string[] {
  const { dir, base } = path.parse(outboxFile(settings))
  const names = existsSync(dir) ? readdirSync(dir).filter((name) => name.startsWith(`${base}.damaged-`)) : []
  // A log may contain events even if its database is gone.
  const hasDatabase = (name: string) =>
    ['-wal', '-shm', '-journal'].some((suffix) => name.endsWith(suffix) && names.includes(name.slice(0, -suffix.length)))
  return names.filter((name) => !hasDatabase(name)).map((name) => path.join(dir, name))
}

/** True if there may be unsent events from an earlier run. */
export function hasOutbox({ dataDirectory }: Pick<Settings, 'dataDirectory'>): boolean {
  return existsSync(path.join(dataDirectory, ...outboxPath))
}

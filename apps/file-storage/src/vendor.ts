import { type ActiveLogin, type AuthorizedUpstream, embeddedUpstream, openUpstream } from '@mcp-toolkits/server/account'
import { type Clock, dataPath, systemClock } from '@mcp-toolkits/core/base'
import { namingTool } from '@mcp-toolkits/core/tool'
import { systemFetch } from '@mcp-toolkits/core/upstream'
import type { DriveEmulator } from '@mcp-toolkits/drive-emulator'
import type { ConnectOptions, Settings } from '@mcp-toolkits/server'
import { account, embeddedToken } from './account.ts'

/** The emulator that the embedded default uses. */
export type EmbeddedDrive = Pick<DriveEmulator, 'fetch' | 'listen' | 'openPicker' | 'close'> &
  Partial<Pick<DriveEmulator, 'seedNotice' | 'recordCall'>>

export interface DriveOptions extends ConnectOptions {
  /** Emulator for a server without an account; by default, the data directory's. */
  readonly embeddedDrive?: {
    readonly open: (settings: Settings, clock?: Clock) => Promise<EmbeddedDrive>
    /** The embedded token's scopes. */
    readonly scopes: readonly string[]
  }
}

/** Google Drive, real or embedded, with this server's credentials. */
export interface Drive extends AuthorizedUpstream {
  readonly currentPerson: () => Promise<SignedInPerson>
  /** Present for the embedded default. */
  readonly embeddedDrive?: EmbeddedDrive
}

/** The environment's account, the stored login or else the embedded default. Throws `Unauthenticated`. */
export async function openDrive(settings: Settings, options: DriveOptions): Promise<Drive> {
  const upstream = openUpstream(account, settings, { ...options, fetch: options.fetch ?? systemFetch })
  if (!upstream) return openEmbedded(settings, options)
  const { tokens } = upstream
  return { ...upstream, currentPerson: tokens ? async () => personOf(await tokens.login()) : onlyPerson }
}

const defaultDrive = { open: openEmbeddedDrive, scopes: ['drive'] }

async function openEmbedded(
  settings: Settings,
  { fetch, clock, log, embeddedDrive: { open, scopes } = defaultDrive }: DriveOptions,
): Promise<Drive> {
  const authorization = `Bearer ${embeddedToken.reveal()}`
  if (fetch) return { ...embeddedUpstream({ fetch }, { authorization }), currentPerson: onlyPerson }
  const embeddedDrive = await open(settings, clock)
  const notice = await embeddedDrive.seedNotice?.()
  if (notice !== undefined) log?.warn(notice)
  return {
    ...embeddedUpstream({ ...embeddedDrive, fetch: namingTool(embeddedDrive.fetch) }, { authorization }),
    currentPerson: () => Promise.resolve({ account: '', scopes }),
    embeddedDrive,
    scopes: () => Promise.resolve(scopes),
  }
}

/** Resolves with the only person: credentials that never change belong to one person. */
function onlyPerson(): Promise<SignedInPerson> {
  return Promise.resolve({ account: '', scopes: [] })
}

/** The emulator with its data in the data directory. Loaded only when used. */
export async function openEmbeddedDrive(
  { dataDirectory, seed }: Pick<Settings, 'dataDirectory' | 'seed'>,
  clock: Clock = systemClock,
): Promise<EmbeddedDrive> {
  const { driveEmulator, readSeed } = await import('@mcp-toolkits/drive-emulator')
  const file = dataPath(dataDirectory, account.server, 'drive.db')
  return driveEmulator({
    file,
    accessToken: embeddedToken.reveal(),
    links: 'workspace',
    clock,
    ...(seed !== undefined && { seed: await readSeed(seed) }),
  })
}

/** The drive's owner, and the credentials' scopes. */
export interface SignedInPerson {
  /** Identifies the person within this process. It may be a secret, so it is never shown. */
  readonly account: string
  readonly scopes: readonly string[]
}

/** The person behind a login. If Google did not name them, each login counts as a different person. */
export function personOf({ account, tokens, scopes = [] }: ActiveLogin): SignedInPerson {
  return { account: account['account'] ?? (tokens.refreshToken ?? tokens.accessToken).reveal(), scopes }
}

/** Creates a value for the signed-in person, and a new value whenever the person or the scopes change. */
export function perPerson<Value>(
  currentPerson: () => Promise<SignedInPerson>,
  create: (person: SignedInPerson) => Value,
): () => Promise<Value> {
  let current: { readonly key: string; readonly value: Value } | undefined
  return async () => {
    const person = await currentPerson()
    const key = JSON.stringify([person.account, person.scopes])
    if (current?.key !== key) current = { key, value: create(person) }
    return current.value
  }
}

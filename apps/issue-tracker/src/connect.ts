import { describeAccount, embeddedUpstream, openUpstream } from '@mcp-toolkits/server/account'
import { type Clock, dataPath, lazyLocks, once, systemClock, withCallLock } from '@mcp-toolkits/core/base'
import { namingTool, withCallScope } from '@mcp-toolkits/core/tool'
import { memoryLimits, openSharedLimits } from '@mcp-toolkits/core/upstream'
import type { Connection, ConnectOptions, EmulatorHandle, Settings } from '@mcp-toolkits/server'
import { account, embeddedKey } from './account.ts'
import type { Context } from './context.ts'
import { linearClient } from './linear/client.ts'
import { workspace } from './linear/workspace.ts'

/** Connects to the account in the environment, or else the stored login, or else the embedded default. Throws `Unauthenticated`. */
export async function connect(settings: Settings, options: ConnectOptions = {}): Promise<Connection<Context>> {
  const { clock = systemClock, shared, telemetry } = options
  const upstream = openUpstream(account, settings, options) ?? (await openEmbedded(settings, options))
  const local = lazyLocks(async () => {
    const { openLocalState } = await import('@mcp-toolkits/server/storage')
    return openLocalState({ file: dataPath(settings.dataDirectory, account.server, 'state.db'), clock, log: options.log })
  })
  const locks = shared?.locks ?? options.locks ?? local.locks
  const limits =
    shared &&
    (await openSharedLimits({
      storage: shared.limits,
      account: async () => `Linear ${await upstream.accountId()}`,
      clock,
    }))
  const files = once(async () => {
    const [{ linearFiles }, { privateHosts }] = await Promise.all([import('./linear/files.ts'), import('./variables.ts')])
    const { api } = account
    // A custom API server stores its own files.
    const places = [new URL('/uploads/', upstream.url).href, ...(upstream.url === api.url && api.files ? [`${api.files}/`] : [])]
    return linearFiles({
      ...upstream,
      places,
      limits: limits ?? memoryLimits(clock),
      telemetry,
      allowPrivate: privateHosts(settings.environment),
      clock,
    })
  })
  return {
    ...(upstream.scopes && { scopes: upstream.scopes }),
    context: {
      linear: linearClient({ ...upstream, clock, limits, telemetry }),
      clock,
      person: { otherKeys: new Map() },
      files,
      // Shared by all accounts, because two people may change the same record.
      withRelationLock: (scope, work) => withCallLock(locks, `relations ${upstream.url}`, scope, work),
    },
    accountId: upstream.accountId,
    status: () => describeAccount(account, upstream, clock),
    recordCall: upstream.recordCall,
    async close() {
      await upstream.close()
      await local.close()
    },
  }
}

/** Loads what `connect` and a call need, and warms it up with a request to an empty emulator in memory. */
export async function preload(isEmbedded: boolean): Promise<void> {
  if (!isEmbedded) return
  const { linearEmulator } = await import('@mcp-toolkits/linear-emulator')
  const emulator = linearEmulator({ apiKey: embeddedKey.reveal(), seed: 'empty' })
  const linear = linearClient(embeddedUpstream(emulator, credentials))
  await withCallScope({}, (scope) => linear.forCall(scope).send(workspace, {}))
  await emulator.close()
}

const credentials = { path: '/graphql', authorization: embeddedKey.reveal() }

async function openEmbedded(settings: Settings, { fetch, clock, log }: ConnectOptions) {
  if (fetch) return embeddedUpstream({ fetch }, credentials)
  const emulator = await embedded(settings, clock)
  const notice = await emulator.seedNotice?.()
  if (notice !== undefined) log?.warn(notice)
  return embeddedUpstream({ ...emulator, fetch: namingTool(emulator.fetch) }, credentials)
}

/** The emulator, with its data in the data directory. Loaded only when used. */
export async function embedded(
  { dataDirectory, seed }: Pick<Settings, 'dataDirectory' | 'seed'>,
  clock: Clock = systemClock,
): Promise<EmulatorHandle> {
  const { linearEmulator, readSeed } = await import('@mcp-toolkits/linear-emulator')
  const file = dataPath(dataDirectory, account.server, 'linear.db')
  return linearEmulator({
    file,
    apiKey: embeddedKey.reveal(),
    links: 'workspace',
    clock,
    ...(seed !== undefined && { seed: await readSeed(seed) }),
  })
}

/** The emulator, with what other clients need to reach it. */
export async function emulator(settings: Settings): Promise<EmulatorHandle & { readonly hint: string }> {
  const { localClient } = await import('@mcp-toolkits/linear-emulator')
  return {
    ...(await embedded(settings)),
    hint: [
      `GraphQL endpoint {url}/graphql, API key ${embeddedKey.reveal()}; the page at {url}/ shows what arrived.`,
      `To sign in there: ISSUE_TRACKER_CLIENT_ID=${localClient.id} ISSUE_TRACKER_AUTH_URL={url} ISSUE_TRACKER_API_URL={url}/graphql issue-tracker-mcp login`,
    ].join('\n'),
  }
}

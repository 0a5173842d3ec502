import type { Connection, ServerDefinition, Settings } from '@mcp-toolkits/server'
import {
  type ConnectLinks,
  type CallAudit,
  Calls,
  commandSpelling,
  filterText,
  listing,
  type Log,
  renderInstructions,
  taskDesk,
  type Toolbox,
} from '@mcp-toolkits/server/mcp'
import { type Caller, type Clock, type ExpiringRecords, systemClock } from '@mcp-toolkits/core/base'
import type { Spelling } from '@mcp-toolkits/core/errors'
import type { IdempotencyStore } from '@mcp-toolkits/core/tool'
import type { Connections } from './connection-pool.ts'

export interface PersonAccount<Context> {
  /** Differs between accounts that need separate connections. */
  readonly name: string
  /** The account in operation records; the connection's by default. */
  readonly recordedAs?: string
  /** Settings, without the login or key that `open` looks up. */
  readonly settings: Settings
  /** Throws `Unauthenticated`, with the step that the person must take. */
  readonly open: () => Promise<Connection<Context>>
}

export interface AccountsToolboxOptions<Context> {
  /** Looks up enough about a caller's account to choose a connection. Throws typed errors. */
  readonly accountOf: (caller: Caller) => Promise<PersonAccount<Context>>
  readonly connections: Connections<Context>
  /** Makes pages for the steps that people's calls need; absent if there are no such steps. */
  readonly links?: ConnectLinks | undefined
  /** Opens the operation records; the data directory's by default. */
  readonly openStore?: (() => Promise<IdempotencyStore>) | undefined
  /** Records of calls that outlive their requests; if absent, no call can. */
  readonly records?: ExpiringRecords | undefined
  readonly spelling?: Omit<Spelling, 'tool'>
  readonly audit?: CallAudit | undefined
  readonly log: Log
  readonly clock?: Clock | undefined
}

/** A server's tools, where each call has a caller and acts with that person's account. */
export function openAccountsToolbox<Context>(
  definition: ServerDefinition<Context>,
  settings: Settings,
  options: AccountsToolboxOptions<Context>,
): Toolbox {
  const { accountOf, connections, links, openStore, records, audit, log, clock = systemClock } = options
  const toolListing = listing(definition, settings)
  const spelling: Spelling = { ...(options.spelling ?? commandSpelling(definition, settings)), tool: toolListing.spell }
  const calls = new Calls(definition, {
    settings,
    async connectionFor(caller) {
      if (!caller) throw new Error('A call without a caller reached a server of many people.')
      const { name, open, ...account } = await accountOf(caller)
      return { ...account, ...connections.hold(name, open) }
    },
    isEmbedded: false,
    openStore,
    links,
    spelling,
    filter: filterText,
    log,
    clock,
  })
  const invoke: Toolbox['invoke'] = (...call) => calls.answer(...call)
  const tasks =
    records &&
    taskDesk(definition, settings, {
      listing: toolListing,
      invoke,
      ownerOf: (caller) => calls.ownerOf(caller),
      records,
      waitForLink: links?.waitFor,
      embedded: false,
      audit,
      clock,
      log,
    })
  return {
    listing: toolListing,
    clock,
    tasks,
    instructions: renderInstructions(definition, { kind: 'vendor' }, { audience: 'others', ...spelling }),
    embedded: false,
    usesAccount: true,
    questionSeconds: settings.questionSeconds,
    invoke,
    ...(links && { waitForLink: links.waitFor }),
    ...(audit && { audit }),
    resume: async () => tasks?.resume(),
    status: () => Promise.resolve({ upstream: definition.vendor, connections: connections.size }),
    pendingPages: () => Promise.resolve(undefined),
    async close() {
      await tasks?.close()
      await calls.close()
      await connections.close()
    },
  }
}

import { Internal, ToolError, Unauthenticated, Unavailable, type Tool } from '@mcp-toolkits/core'
import { toAnswer, toFailure, type Answer } from './answer.ts'
import type { ConnectOptions, ServerDefinition, Settings, Upstream, PendingPages } from './definition.ts'
import { listing, type ListedTool, type Listing } from './listing.ts'
import { throwSite, type Log } from './log.ts'
import { isSystemError, type SystemError } from './system-error.ts'

export interface CallOptions {
  readonly signal: AbortSignal
  readonly progress?: (done: number, total?: number, message?: string) => void
}

/** The tools of one server as started: listed at once, loaded and connected with the first call. */
export interface Toolbox {
  readonly listing: Listing
  /** What a model is told about the server, embedded default included. */
  readonly instructions: string
  readonly embedded: boolean
  /** Whether calls go to a vendor's account. */
  readonly connected: boolean
  /** Runs a tool that the listing has found. Never rejects, except with the reason of an aborted signal. */
  readonly call: (tool: ListedTool, args: unknown, options: CallOptions) => Promise<Answer>
  /** Takes up what an earlier run may have left behind; a problem with it waits for the first call. */
  readonly resume: () => Promise<void>
  readonly status: () => Promise<Readonly<Record<string, unknown>>>
  /** The pages that calls have opened and that end with this toolbox; undefined where none waits for its person. */
  readonly pendingPages: () => Promise<PendingPages | undefined>
  readonly close: () => Promise<void>
}

export interface ToolboxOptions extends ConnectOptions {
  readonly log: Log
}

export function openToolbox<Context>(definition: ServerDefinition<Context>, settings: Settings, options: ToolboxOptions): Toolbox {
  const shown = listing(definition, settings)
  const upstream = upstreamOf(definition, settings)
  const embedded = !(upstream instanceof ToolError) && upstream.kind === 'embedded'
  const connection = once(async () => {
    checkedUpstream(definition, settings)
    return definition.connect(settings, options).catch(unusableDirectory(settings))
  })
  const tools = once(async () => new Map((await definition.loadTools()).map((tool) => [tool.name, tool])))
  const { log } = options
  const { signIn } = definition

  const run = async (listed: ListedTool, args: unknown, { signal, progress }: CallOptions) => {
    const [{ context, scopes }, loaded] = await Promise.all([connection.get(), tools.get()])
    const tool: Tool<Context> | undefined = loaded.get(listed.name)
    if (!tool) throw new Internal(`${listed.name} is listed but not there.`)
    const contextOfCall = await context
    if (scopes && signIn) {
      const { checkToolScopes } = await import('@mcp-toolkits/auth/scopes')
      checkToolScopes(listed, `${definition.prefix}.${listed.name}`, { account: signIn, settings, granted: await scopes() })
    }
    return tool.call(args, contextOfCall, { signal, readOnly: settings.readOnly, progress: progress ?? (() => undefined) })
  }

  return {
    listing: shown,
    embedded,
    connected: !embedded && !(upstream instanceof ToolError),
    instructions: instructionsOf(definition, shown, upstream),
    async call(listed, args, call) {
      const started = performance.now()
      const logged = (outcome: string) => ({ tool: listed.name, outcome, ms: Math.round(performance.now() - started) })
      try {
        const answer = toAnswer(await run(listed, args, call), embedded)
        log.info('call', logged('ok'))
        return answer
      } catch (error) {
        if (call.signal.aborted) {
          log.info('call', logged('cancelled'))
          throw call.signal.reason
        }
        const answer = toFailure(isSystemError(error) ? unusable(settings, error) : error, shown)
        log.info('call', logged(answer.ok ? 'ok' : answer.error.code))
        if (!(error instanceof ToolError)) log.error(isSystemError(error) ? 'disk' : 'internal', { tool: listed.name, ...throwSite(error) })
        return answer
      }
    },
    async resume() {
      if (settings.readOnly || upstream instanceof ToolError || definition.hasPendingWork?.(settings) !== true) return
      try {
        const open = await connection.get()
        open.resume?.()
      } catch (error) {
        log.warn('not resumed', throwSite(error))
      }
    },
    async status() {
      if (upstream instanceof ToolError) return { upstream: 'none', problem: upstream.message }
      const open = await connection.get()
      return { upstream: upstream.kind === 'embedded' ? 'embedded' : upstream.url, ...(await open.status()) }
    },
    pendingPages: async () => (await connection.current())?.pendingPages?.(),
    close: async () => (await connection.current())?.close(),
  }
}

function upstreamOf<Context>(definition: ServerDefinition<Context>, settings: Settings): Upstream | ToolError {
  try {
    return checkedUpstream(definition, settings)
  } catch (error) {
    if (error instanceof Unauthenticated) return error
    throw error
  }
}

function checkedUpstream<Context>(definition: ServerDefinition<Context>, settings: Settings): Upstream {
  const upstream = definition.upstream(settings)
  if (upstream.kind === 'vendor' || settings.accountRequired !== true) return upstream
  throw new Unauthenticated(
    `No account is configured, and MCP_TOOLKITS_EMBEDDED=0 says to serve nothing else. ${definition.connectHint} To try the server without an account, start it with --embedded.`,
  )
}

function instructionsOf<Context>(definition: ServerDefinition<Context>, shown: Listing, upstream: Upstream | ToolError): string {
  const told = shown.reword(definition.instructions)
  if (upstream instanceof ToolError) return `${told} Not connected: ${upstream.message}`
  if (upstream.kind === 'vendor') return told
  return `${told} ${embeddedNotice(definition)}`
}

/** An outage of the disk is told like one of the vendor: with what a person can mend. */
function unusableDirectory(settings: Settings) {
  return (error: unknown): never => {
    throw isSystemError(error) ? unusable(settings, error) : error
  }
}

function unusable({ dataDirectory }: Settings, { code }: SystemError): Unavailable {
  return new Unavailable(`The data directory ${dataDirectory} cannot be used (${code}). Choose another one with --data-dir.`, {
    retryable: false,
  })
}

/** Says wherever someone looks that this is the embedded default. */
export function embeddedNotice(definition: Pick<ServerDefinition<never>, 'vendor' | 'connectHint'>): string {
  return `Running on the embedded default: a local stand-in for ${definition.vendor}; nothing leaves this machine. ${definition.connectHint}`
}

/** Makes a value once; a failed attempt is forgotten, so that the next one sees what a person has mended since. */
function once<Value>(make: () => Promise<Value>) {
  let made: Promise<Value> | undefined
  return {
    get: () => {
      made ??= make().catch((error: unknown) => {
        made = undefined
        throw error
      })
      return made
    },
    current: async () => made?.catch(() => undefined),
  }
}

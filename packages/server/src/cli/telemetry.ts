import { hostname } from 'node:os'
import { systemClock } from '@mcp-toolkits/core/clock'
import type { Telemetry } from '@mcp-toolkits/core/telemetry'
import type { SharedStore } from '@mcp-toolkits/store/postgres'
import type { Audit } from '../audit.ts'
import type { ServerDefinition } from '../definition.ts'
import type { Log } from '../log.ts'
import { openTelemetry } from '../telemetry/open.ts'
import type { MetricsAddress } from '../telemetry/prometheus.ts'
import type { Console } from './command.ts'
import { listenError } from './listen-error.ts'

/** What is needed of a server's definition. */
export type NamedServer = Pick<ServerDefinition<never>, 'name' | 'version'>

export interface ServerTelemetryOptions {
  readonly metricsAddress?: MetricsAddress | undefined
  readonly shared?: SharedStore | undefined
  readonly audit?: Audit | undefined
  readonly log: Log
}

/** What a server is measured with. */
export interface ServerTelemetry {
  /** What its toolbox is opened with. */
  readonly hooks: { readonly audit: Audit; readonly telemetry: Telemetry }
  /** What is printed at the start, in sentences. */
  readonly notes: readonly string[]
  readonly close: () => Promise<void>
}

/** Opens the telemetry of a server. Throws `UsageError` for an address of metrics that cannot be used. */
export async function openServerTelemetry(
  server: NamedServer,
  { metricsAddress, shared, audit, log }: ServerTelemetryOptions,
  { environment }: Pick<Console, 'environment'>,
): Promise<ServerTelemetry> {
  const replica = shared?.replica.id ?? `${hostname()}:${process.pid}`
  const opened = await openTelemetry({
    ...{ server, environment, metricsAddress, log },
    ...{ replica, clock: systemClock, pools: shared && (() => shared.database.pools()) },
  }).catch((error: unknown) => {
    throw metricsAddress ? listenError(error, { ...metricsAddress, options: '--metrics-host and --metrics-port' }) : error
  })
  const { requests: telemetry, calls, metricsUrl, close } = opened
  return {
    hooks: { audit: both(audit, calls), telemetry },
    notes: metricsUrl === undefined ? [] : [`Prometheus finds metrics at ${metricsUrl}`],
    close,
  }
}

/** Records calls and refused requests in both. */
function both(audit: Audit | undefined, calls: Pick<Audit, 'call' | 'refused'>): Audit {
  if (!audit) return { ...calls, connection: () => undefined }
  return {
    ...audit,
    call: (call, work) => calls.call(call, () => audit.call(call, work)),
    refused(request) {
      calls.refused(request)
      audit.refused(request)
    },
  }
}

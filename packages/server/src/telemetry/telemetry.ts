import { hostname } from 'node:os'
import { type Clock, type ListenAddress, systemClock } from '@mcp-toolkits/core/base'
import { rememberSecret } from '@mcp-toolkits/core/errors'
import type { Environment, Telemetry } from '@mcp-toolkits/core/upstream'
import type { SharedStore } from '../storage/shared-store.ts'
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from '@opentelemetry/resources'
import { MeterProvider, type MetricReader } from '@opentelemetry/sdk-metrics'
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace'
import type { CallAudit } from '../mcp/calls/audited-call.ts'
import type { Console } from '../cli/command.ts'
import { listenError } from '../cli/process/listen-error.ts'
import type { ServerDefinition } from '../mcp/definition.ts'
import type { Log } from '../mcp/log.ts'
import { Backlogs, type GaugeSources, observeGauges, openRecorders } from './metrics.ts'
import { PrometheusText, serveMetrics } from './prometheus.ts'
import { headerSecrets, readTelemetrySettings, type SamplerSettings, type TelemetrySettings } from './settings.ts'
import { ActiveSpan, measureCalls, measureRequests } from './spans.ts'

/** The part of a server's definition that telemetry needs. */
export type NamedServer = Pick<ServerDefinition<never>, 'name' | 'version'>

export interface ServerTelemetryOptions {
  readonly metricsAddress?: ListenAddress | undefined
  readonly shared?: SharedStore | undefined
  readonly audit?: CallAudit | undefined
  readonly log: Log
}

export interface ServerTelemetry {
  /** Hooks for opening its toolbox. */
  readonly hooks: { readonly audit: CallAudit; readonly telemetry: Telemetry }
  /** Sentences to print at startup. */
  readonly notes: readonly string[]
  readonly close: () => Promise<void>
}

/** Opens a server's telemetry. Throws `UsageError` for an unusable metrics address. */
export async function openServerTelemetry(
  server: NamedServer,
  { metricsAddress, shared, audit, log }: ServerTelemetryOptions,
  { environment }: Pick<Console, 'environment'>,
): Promise<ServerTelemetry> {
  const replica = shared?.replica.id ?? `${hostname()}:${process.pid}`
  const opened = await openTelemetry({
    server,
    environment,
    metricsAddress,
    log,
    ...{ replica, clock: systemClock, pools: shared?.pools },
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

/** Records calls and refused requests in both audit logs. */
function both(audit: CallAudit | undefined, calls: CallAudit): CallAudit {
  if (!audit) return calls
  return {
    call: (call, work) => calls.call(call, () => audit.call(call, work)),
    refused(request) {
      calls.refused(request)
      audit.refused(request)
    },
  }
}

interface TelemetryOptions {
  readonly server: NamedServer
  /** The environment, with OpenTelemetry's variables. */
  readonly environment: Environment
  /** The name of this process among the replicas. */
  readonly replica: string
  /** The address for /metrics; if absent, no metrics are served. */
  readonly metricsAddress?: ListenAddress | undefined
  /** The connections to PostgreSQL; absent without a database. */
  readonly pools?: GaugeSources['pools']
  readonly log: Pick<Log, 'warn'>
  readonly clock: Clock
}

interface OpenedTelemetry {
  readonly requests: Telemetry
  readonly calls: CallAudit
  /** The address at which Prometheus reads the metrics. */
  readonly metricsUrl: string | undefined
  /** Sends the remaining telemetry, for at most two seconds. */
  readonly close: () => Promise<void>
}

/** Time that a server's shutdown may wait for a collector, in milliseconds. */
const flushMs = 2_000

const scope = 'mcp-toolkits'

/** Opens the telemetry that the variables and the address ask for. Rejects only for an unusable address. */
async function openTelemetry(options: TelemetryOptions): Promise<OpenedTelemetry> {
  const { server, environment, replica, metricsAddress, pools, log, clock } = options
  const settings = readTelemetrySettings(environment)
  for (const secret of headerSecrets(environment)) rememberSecret(secret)
  for (const problem of settings.problems) log.warn('telemetry', { problem })
  const own = { 'service.name': server.name, 'service.version': server.version, 'service.instance.id': replica }
  const resource = defaultResource()
    .merge(resourceFromAttributes(own))
    .merge(detectResources({ detectors: [resourceAttributesEnvDetector, serviceNameEnvDetector] }))
  const { processors, readers } = await openSenders(settings, reportOnce(log))
  const prometheus = metricsAddress && new PrometheusText()
  const meterProvider = new MeterProvider({ resource, readers: [...readers, ...(prometheus ? [prometheus] : [])] })
  const sampler = processors.length > 0 ? samplerOf(settings.sampler) : new AlwaysOffSampler()
  const tracerProvider = new TracerProvider({ resource, sampler, spanProcessors: processors })
  const tracer = tracerProvider.getTracer(scope, server.version)
  const meter = meterProvider.getMeter(scope, server.version)
  const backlogs = new Backlogs()
  observeGauges(meter, { pools, backlog: () => backlogs.read() })
  const measuring = { tracer, recorders: openRecorders(meter), active: new ActiveSpan(), clock }
  const listener = prometheus && (await serveMetrics(metricsAddress, () => prometheus.text()))
  return {
    requests: { ...measureRequests(measuring), watchBacklog: (read) => backlogs.watch(read) },
    calls: measureCalls(measuring),
    metricsUrl: listener?.url,
    async close() {
      const ends = Promise.allSettled([tracerProvider.shutdown(), meterProvider.shutdown(), listener?.close()])
      const waited = new AbortController()
      const bound = clock.sleep(flushMs, waited.signal).catch(() => undefined)
      await Promise.race([ends, bound])
      waited.abort()
    },
  }
}

/** Loads the code that sends to collectors, if there are any. */
async function openSenders(settings: TelemetrySettings, onFailure: (problem: string) => void) {
  const { traces, metrics } = settings
  if (!traces && !metrics) return { processors: [], readers: [] }
  const { spanProcessor, metricSender } = await import('./exporters.ts')
  const readers: MetricReader[] = metrics ? [metricSender(metrics, settings, onFailure)] : []
  return { processors: traces ? [spanProcessor(traces, settings, onFailure)] : [], readers }
}

function samplerOf({ root, followsParent, ratio }: SamplerSettings): Sampler {
  const samplers = { always_on: AlwaysOnSampler, always_off: AlwaysOffSampler } as const
  const sampler = root === 'traceidratio' ? new TraceIdRatioBasedSampler(ratio) : new samplers[root]()
  return followsParent ? new ParentBasedSampler({ root: sampler }) : sampler
}

/** Reports only once, because a collector that is down fails every batch. */
function reportOnce(log: Pick<Log, 'warn'>): (problem: string) => void {
  let isReported = false
  return (problem) => {
    if (!isReported) log.warn('telemetry', { problem: `${problem} Calls continue without it; further failures are not logged.` })
    isReported = true
  }
}

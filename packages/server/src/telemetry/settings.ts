import type { Environment } from '@mcp-toolkits/core/upstream'

/** A collector for one kind of telemetry, reached by OTLP over HTTP. */
export interface Collector {
  /** The URL with the kind's path: `http://127.0.0.1:4318/v1/traces`. */
  readonly url: string
  readonly protocol: 'http/protobuf' | 'http/json'
}

/** Decides which traces to record, as `OTEL_TRACES_SAMPLER` says. */
export interface SamplerSettings {
  readonly root: 'always_on' | 'always_off' | 'traceidratio'
  /** True if a request with a trace context follows the sender's decision on recording the trace. */
  readonly followsParent: boolean
  readonly ratio: number
}

/** Settings in the standard variables, except those that the exporters read themselves: headers, timeout, compression, certificates. */
export interface TelemetrySettings {
  readonly traces: Collector | undefined
  readonly metrics: Collector | undefined
  readonly sampler: SamplerSettings
  /** Interval between metric exports, in milliseconds. */
  readonly metricIntervalMs: number
  readonly batch: { readonly delayMs: number; readonly maxSpans: number; readonly maxQueue: number }
  /** Sentences about unusable values, without quoting them. */
  readonly problems: readonly string[]
}

/** Minimum length of a value to redact: anything shorter is unlikely to be a key, and might occur in ordinary text. */
const minSecretLength = 12

const signals = { traces: 'TRACES', metrics: 'METRICS' } as const

/**
 * Reads https://opentelemetry.io/docs/specs/otel/configuration/sdk-environment-variables/. An unusable value is
 * reported, but does not stop the server.
 */
export function readTelemetrySettings(environment: Environment): TelemetrySettings {
  const problems: string[] = []
  const number = (name: string, fallback: number) => {
    const text = valueOf(environment, name)
    if (text === undefined) return fallback
    const value = Number(text)
    if (Number.isSafeInteger(value) && value > 0) return value
    problems.push(`${name} must be a whole number above 0; ${fallback} is used.`)
    return fallback
  }
  return {
    traces: collectorOf('traces', environment, problems),
    metrics: collectorOf('metrics', environment, problems),
    sampler: samplerOf(environment, problems),
    metricIntervalMs: number('OTEL_METRIC_EXPORT_INTERVAL', 60_000),
    batch: {
      delayMs: number('OTEL_BSP_SCHEDULE_DELAY', 5_000),
      maxSpans: number('OTEL_BSP_MAX_EXPORT_BATCH_SIZE', 512),
      maxQueue: number('OTEL_BSP_MAX_QUEUE_SIZE', 2_048),
    },
    problems,
  }
}

/** The values of headers for collectors, such as keys. The exporters read the headers themselves. */
export function headerSecrets(environment: Environment): string[] {
  const names = ['', ...Object.values(signals).map((signal) => `${signal}_`)].map((signal) => `OTEL_EXPORTER_OTLP_${signal}HEADERS`)
  const pairs = names.flatMap((name) => valueOf(environment, name)?.split(',') ?? [])
  return pairs.map((pair) => pair.slice(pair.indexOf('=') + 1).trim()).filter(({ length }) => length >= minSecretLength)
}

/** The variable's value; an empty one counts as unset. */
function valueOf(environment: Environment, name: string): string | undefined {
  const value = environment[name]?.trim()
  return value === '' ? undefined : value
}

function collectorOf(kind: keyof typeof signals, environment: Environment, problems: string[]): Collector | undefined {
  const signal = signals[kind]
  if (valueOf(environment, 'OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return undefined
  const exporter = valueOf(environment, `OTEL_${signal}_EXPORTER`) ?? 'otlp'
  if (exporter === 'none') return undefined
  if (exporter !== 'otlp') problems.push(`OTEL_${signal}_EXPORTER can be otlp or none; otlp is used.`)
  const [own, general] = [`OTEL_EXPORTER_OTLP_${signal}_ENDPOINT`, 'OTEL_EXPORTER_OTLP_ENDPOINT']
  const [endpoint, base] = [valueOf(environment, own), valueOf(environment, general)]
  const address = endpoint ?? (base === undefined ? undefined : `${base.replace(/\/$/, '')}/v1/${kind}`)
  if (address === undefined) return undefined
  const url = URL.parse(address)
  if (!url || !/^https?:$/.test(url.protocol)) {
    problems.push(`${endpoint === undefined ? general : own} must be a URL such as http://127.0.0.1:4318; no ${kind} are sent.`)
    return undefined
  }
  const variable = [`OTEL_EXPORTER_OTLP_${signal}_PROTOCOL`, 'OTEL_EXPORTER_OTLP_PROTOCOL'].find(
    (name) => valueOf(environment, name) !== undefined,
  )
  const protocol = variable === undefined ? 'http/protobuf' : valueOf(environment, variable)
  if (protocol === 'http/protobuf' || protocol === 'http/json') return { url: url.href, protocol }
  problems.push(`${variable ?? ''} must be http/protobuf or http/json; no ${kind} are sent.`)
  return undefined
}

const samplers = ['always_on', 'always_off', 'traceidratio'] as const

function samplerOf(environment: Environment, problems: string[]): SamplerSettings {
  const name = valueOf(environment, 'OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const root = samplers.find((each) => name === each || name === `parentbased_${each}`)
  if (root === undefined) {
    problems.push('OTEL_TRACES_SAMPLER is unknown; parentbased_always_on is used.')
    return { root: 'always_on', followsParent: true, ratio: 1 }
  }
  const ratio = Number(valueOf(environment, 'OTEL_TRACES_SAMPLER_ARG') ?? 1)
  const isRatio = ratio >= 0 && ratio <= 1
  if (!isRatio) problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; 1 is used.')
  return { root, followsParent: name !== root, ratio: isRatio ? ratio : 1 }
}

import type { Environment } from '@mcp-toolkits/core/upstream'
import type { CommandLine, Console } from '../command.ts'
import type { NamedServer, ServerTelemetryOptions, ServerTelemetry } from '../../telemetry/telemetry.ts'

const endpoints = ['', 'TRACES_', 'METRICS_'].map((signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`)

/**
 * Opens a server's telemetry if a collector or a metrics port is named; otherwise no OpenTelemetry code is loaded. Throws `UsageError` for
 * an unusable address.
 */
export async function startTelemetry(
  server: NamedServer,
  {
    line,
    ...rest
  }: Omit<ServerTelemetryOptions, 'metricsAddress'> & { readonly line: Pick<CommandLine, 'command' | 'metricsPort' | 'metricsHost'> },
  console: Pick<Console, 'environment'>,
): Promise<ServerTelemetry | undefined> {
  const { metricsPort: port, metricsHost: host } = line
  const metricsAddress = port !== undefined && line.command === 'http' ? { host, port } : undefined
  if (!metricsAddress && !namesCollector(console.environment)) return undefined
  return (await import('../../telemetry/telemetry.ts')).openServerTelemetry(server, { ...rest, metricsAddress }, console)
}

function namesCollector(environment: Environment): boolean {
  if (environment['OTEL_SDK_DISABLED']?.trim().toLowerCase() === 'true') return false
  return endpoints.some((name) => (environment[name] ?? '').trim() !== '')
}

import { type MetricDefinition, metricDefinitions, prometheusName } from '../packages/server/src/telemetry/metrics.ts'

/** The metrics as Prometheus names them. */
export function metricsList(): string {
  const lines = Object.values<MetricDefinition>(metricDefinitions).map((metric) => {
    const labels = metric.labels.map((label) => `\`${label}\``).join(', ')
    return `- \`${prometheusName(metric)}\` (${metric.kind}; ${labels}): ${metric.help}`
  })
  return lines.join('\n')
}

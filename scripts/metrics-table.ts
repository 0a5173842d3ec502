import { type MetricDefinition, metricDefinitions, prometheusName } from '../packages/server/src/telemetry/metrics.ts'
import { markdownTable } from '../packages/server/src/mcp/listing/tool-reference.ts'

/** The metrics as Prometheus names them. */
export function metricsTable(): string {
  const rows = Object.values<MetricDefinition>(metricDefinitions).map((metric) => [
    `\`${prometheusName(metric)}\``,
    metric.kind,
    metric.labels.map((label) => `\`${label}\``).join(', '),
    metric.help,
  ])
  return markdownTable(['Metric', 'Kind', 'Labels', 'Meaning'], rows)
}

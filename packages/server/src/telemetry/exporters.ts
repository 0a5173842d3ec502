import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import { OTLPMetricExporter as JsonMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http'
import { OTLPMetricExporter as ProtobufMetricExporter } from '@opentelemetry/exporter-metrics-otlp-proto'
import { OTLPTraceExporter as JsonTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { OTLPTraceExporter as ProtobufTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import { type MetricReader, PeriodicExportingMetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics'
import { BatchSpanProcessor, type SpanExporter, type SpanProcessor } from '@opentelemetry/sdk-trace'
import { systemErrorCode } from '@mcp-toolkits/core/errors'
import type { Collector, TelemetrySettings } from './settings.ts'

/** Called with a sentence if telemetry could not be sent. */
type OnFailure = (problem: string) => void

/** Sends spans in batches. */
export function spanProcessor(collector: Collector, { batch }: Pick<TelemetrySettings, 'batch'>, onFailure: OnFailure): SpanProcessor {
  const { url, protocol } = collector
  const exporter: SpanExporter = protocol === 'http/json' ? new JsonTraceExporter({ url }) : new ProtobufTraceExporter({ url })
  return new BatchSpanProcessor({
    exporter: {
      export(spans, done) {
        exporter.export(spans, (result) => {
          done(reported(result, collector, onFailure))
        })
      },
      forceFlush: async () => exporter.forceFlush?.(),
      shutdown: () => exporter.shutdown(),
    },
    scheduledDelayMillis: batch.delayMs,
    maxExportBatchSize: Math.min(batch.maxSpans, batch.maxQueue),
    maxQueueSize: batch.maxQueue,
  })
}

/** Sends all metrics periodically, and on shutdown. */
export function metricSender(
  collector: Collector,
  { metricIntervalMs }: Pick<TelemetrySettings, 'metricIntervalMs'>,
  onFailure: OnFailure,
): MetricReader {
  const { url, protocol } = collector
  const exporter = protocol === 'http/json' ? new JsonMetricExporter({ url }) : new ProtobufMetricExporter({ url })
  const reporting: PushMetricExporter = {
    export(metrics, done) {
      exporter.export(metrics, (result) => {
        done(reported(result, collector, onFailure))
      })
    },
    selectAggregationTemporality: (type) => exporter.selectAggregationTemporality(type),
    forceFlush: () => exporter.forceFlush(),
    shutdown: () => exporter.shutdown(),
  }
  return new PeriodicExportingMetricReader({ exporter: reporting, exportIntervalMillis: metricIntervalMs })
}

/** Reports a failure that remains after the exporter's own retries. Nothing else reports it. */
function reported(result: ExportResult, { url }: Collector, onFailure: OnFailure): ExportResult {
  if (result.code !== ExportResultCode.SUCCESS) onFailure(`Telemetry cannot be sent to ${new URL(url).origin}${reasonOf(result.error)}.`)
  return { code: ExportResultCode.SUCCESS }
}

/** The reason without the message, which may quote the collector's response. */
function reasonOf(error: Error | undefined): string {
  if (error && 'code' in error && typeof error.code === 'number') return ` (HTTP ${error.code})`
  const code = systemErrorCode(error)
  return code === undefined ? '' : ` (${code})`
}

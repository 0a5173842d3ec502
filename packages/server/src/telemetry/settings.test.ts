import { expect, it } from 'vitest'
import { readTelemetrySettings } from './settings.ts'

const endpoint = 'http://collector.example:4318'
const base = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }

it('sends both kinds to one endpoint, each below its path', () => {
  expect(readTelemetrySettings(base)).toEqual({
    traces: { url: `${endpoint}/v1/traces`, protocol: 'http/protobuf' },
    metrics: { url: `${endpoint}/v1/metrics`, protocol: 'http/protobuf' },
    sampler: { root: 'always_on', followsParent: true, ratio: 1 },
    metricIntervalMs: 60_000,
    batch: { delayMs: 5_000, maxSpans: 512, maxQueue: 2_048 },
    problems: [],
  })
})

it('sends one kind to the endpoint that is named for it, as it is', () => {
  const environment = {
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://traces.example/in',
    OTEL_EXPORTER_OTLP_TRACES_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: ' ',
  }
  const { traces, metrics, problems } = readTelemetrySettings(environment)
  expect([traces, metrics, problems]).toEqual([{ url: 'https://traces.example/in', protocol: 'http/json' }, undefined, []])
})

it.each([{ OTEL_SDK_DISABLED: 'TRUE' }, { OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }])(
  'sends nothing with %o',
  (off) => {
    expect(readTelemetrySettings({ ...base, ...off })).toMatchObject({ traces: undefined, metrics: undefined, problems: [] })
  },
)

it.each([
  [{ OTEL_TRACES_SAMPLER: 'always_off' }, { root: 'always_off', followsParent: false, ratio: 1 }],
  [
    { OTEL_TRACES_SAMPLER: 'parentbased_traceidratio', OTEL_TRACES_SAMPLER_ARG: '0.25' },
    { root: 'traceidratio', followsParent: true, ratio: 0.25 },
  ],
])('reads the sampler %o', (environment, sampler) => {
  expect(readTelemetrySettings({ ...base, ...environment })).toMatchObject({ sampler, problems: [] })
})

it('names each variable that cannot be used, without its value, and goes on with the default', () => {
  const environment = {
    ...base,
    OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'ftp://canary.example',
    OTEL_TRACES_EXPORTER: 'canary',
    OTEL_TRACES_SAMPLER: 'traceidratio',
    OTEL_TRACES_SAMPLER_ARG: 'canary',
    OTEL_METRIC_EXPORT_INTERVAL: '-1',
  }
  const { problems, ...settings } = readTelemetrySettings(environment)
  expect(settings).toMatchObject({
    traces: { url: `${endpoint}/v1/traces` },
    metrics: undefined,
    sampler: { root: 'traceidratio', ratio: 1 },
    metricIntervalMs: 60_000,
  })
  expect(problems).toEqual([
    'OTEL_TRACES_EXPORTER can be otlp or none; otlp is used.',
    'OTEL_EXPORTER_OTLP_METRICS_ENDPOINT must be a URL such as http://127.0.0.1:4318; no metrics are sent.',
    'OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; 1 is used.',
    'OTEL_METRIC_EXPORT_INTERVAL must be a whole number above 0; 60000 is used.',
  ])
})

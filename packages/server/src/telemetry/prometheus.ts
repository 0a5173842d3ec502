import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { PrometheusSerializer } from '@opentelemetry/exporter-prometheus'
import { MetricReader } from '@opentelemetry/sdk-metrics'
import { listen, type ListenAddress } from '@mcp-toolkits/core/base'

/** Timeouts, in milliseconds: for collecting the metrics, and for a scraper to send its request. */
const collectMs = 5_000
const requestMs = 10_000

const maxConnections = 32

/** Metrics as Prometheus reads them: https://prometheus.io/docs/instrumenting/exposition_formats/ */
export class PrometheusText extends MetricReader {
  readonly #serializer = new PrometheusSerializer('', false, undefined, false, true)
  #collecting: Promise<string> | undefined

  /** The current text of all metrics, without those that cannot be read. Simultaneous scrapers share it. */
  text(): Promise<string> {
    this.#collecting ??= this.#collect().finally(() => {
      this.#collecting = undefined
    })
    return this.#collecting
  }

  async #collect(): Promise<string> {
    const { resourceMetrics } = await this.collect({ timeoutMillis: collectMs })
    const text = this.#serializer.serialize(resourceMetrics)
    return text.endsWith('\n') ? text : `${text}\n`
  }

  protected override onForceFlush(): Promise<void> {
    return Promise.resolve()
  }

  protected override onShutdown(): Promise<void> {
    return Promise.resolve()
  }
}

export interface MetricsListener {
  /** `http://127.0.0.1:9464/metrics` */
  readonly url: string
  readonly close: () => Promise<void>
}

/** Serves only /metrics. Rejects for an unusable address. */
export async function serveMetrics(address: ListenAddress, text: () => Promise<string>): Promise<MetricsListener> {
  const server = createServer({ requestTimeout: requestMs, headersTimeout: requestMs }, (request, response) => {
    void answer(request, response, text)
  })
  server.maxConnections = maxConnections
  const origin = await listen(server, address)
  return {
    url: `${origin}/metrics`,
    async close() {
      const { promise, resolve } = Promise.withResolvers<undefined>()
      server.close(() => {
        resolve(undefined)
      })
      server.closeAllConnections()
      await promise
    },
  }
}

async function answer({ url = '', method }: IncomingMessage, response: ServerResponse, text: () => Promise<string>): Promise<void> {
  const reply = (status: number, type: string, body: string) => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body)
  }
  if (url.split('?')[0] !== '/metrics') reply(404, 'text/plain; charset=utf-8', 'Not found. The metrics are at /metrics.\n')
  else if (method !== 'GET' && method !== 'HEAD') reply(405, 'text/plain; charset=utf-8', 'Metrics can only be read.\n')
  else {
    try {
      reply(200, 'text/plain; version=0.0.4; charset=utf-8', await text())
    } catch {
      reply(503, 'text/plain; charset=utf-8', 'The metrics could not be read. Try again.\n')
    }
  }
}

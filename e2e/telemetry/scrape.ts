import { expect } from 'vitest'
import { type MetricFamily, parsePrometheus } from './prometheus-text.ts'

/** Reads metrics as Prometheus would, at the address that a server has printed to standard error. */
export async function scrape(errors: string): Promise<{ readonly text: string; readonly families: MetricFamily[] }> {
  const url = / metrics at (http:\S+)\n/.exec(errors)?.[1] ?? ''
  const response = await fetch(url)
  expect([response.status, response.headers.get('content-type')]).toEqual([200, 'text/plain; version=0.0.4; charset=utf-8'])
  const text = await response.text()
  return { text, families: parsePrometheus(text) }
}

import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import * as z from 'zod'
import { type MetricDefinition, metricDefinitions, prometheusName } from '../../packages/server/src/telemetry/metrics.ts'
import { type PostgresServer, runsPostgres, startPostgres } from '../../packages/testing/src/postgres/postgres.ts'
import { startLinear, userOf } from '../accounts.ts'
import { startHttp } from '../http-process.ts'
import { modern, schemaCall, trackCall } from '../../packages/testing/src/processes/protocol.ts'
import { startUpstream } from '../upstream.ts'
import type { MetricFamily } from './prometheus-text.ts'
import { scrape } from './scrape.ts'

const Dashboard = z.object({
  panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })),
  templating: z.object({ list: z.array(z.object({ name: z.string(), query: z.string() })) }),
})

const Rules = z.object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string(), expr: z.string() })).min(1) })) })

/** Labels that Prometheus adds to each sample. */
const addedLabels = ['job', 'instance']

/** The samples that a PromQL query names, each with the labels that the query uses. */
function samplesIn(query: string) {
  const names = [...query.matchAll(/\bmcp_[a-z_]+/g)].map(([name]) => name)
  const by = [...query.matchAll(/\bby \(([^)]*)\)/g)].flatMap(([, list = '']) => list.split(', '))
  const filtered = [...query.matchAll(/[{,]\s*([a-z]+)=~?"/g)].map(([, label = '']) => label)
  return { names, labels: [...new Set([...by, ...filtered])].filter((label) => !addedLabels.includes(label)) }
}

/** Consents as a person would in a browser. */
async function consent(address: string): Promise<void> {
  const page = await (await fetch(address)).text()
  const ticket = /name="ticket" value="([^"]+)"/.exec(page)?.[1] ?? ''
  const { origin, pathname } = new URL(address)
  const body = new URLSearchParams({ ticket, decision: 'allow' })
  const { headers } = await fetch(origin + pathname, { method: 'POST', body, headers: { origin }, redirect: 'manual' })
  await fetch(headers.get('location') ?? '')
}

describe.runIf(runsPostgres())('the dashboard and the alerts', () => {
  let postgres: PostgresServer
  beforeAll(async () => {
    postgres = await startPostgres()
  })
  afterAll(() => postgres.stop())

  /** The metrics of event-pipeline on PostgreSQL, after a retry, a wait, a refusal and an event that could not be sent. */
  async function metricsOfEvents(): Promise<MetricFamily[]> {
    await using upstream = await startUpstream()
    const token = 'token-0123456789abcdefghijklmnopqrstuv'
    const keys = { MCP_TOOLKITS_VAULT_KEYS: `1:${Buffer.alloc(32).toString('base64')}`, MCP_TOOLKITS_HTTP_TOKEN: token }
    const args = ['--store', postgres.directUrl, '--metrics-port', '0']
    await using server = await startHttp({ args, environment: { ...upstream.environment, ...keys } })
    const send = async (id: number, params: Parameters<typeof modern>[2], bearer = token) => {
      const request = modern(id, 'tools/call', params)
      return server.sendRequest({ ...request, headers: { ...request.headers, authorization: `Bearer ${bearer}` } })
    }
    upstream.emulator.faults.add({ action: { kind: 'status', status: 503, retry_after: 0 } })
    await send(1, trackCall('ada'))
    upstream.emulator.faults.add({ times: 2, action: { kind: 'status', status: 400, body: { error: 'no' } } })
    await send(2, trackCall('ben'))
    await send(3, schemaCall(), 'wrong')
    return (await scrape(server.errors())).families
  }

  /** The metrics of issue-tracker with a login whose access token has expired. */
  async function metricsOfLogin(): Promise<MetricFamily[]> {
    const { login, age, environment } = await userOf(await startLinear())
    const { address, finished } = await login()
    await consent(address)
    expect((await finished()).code).toBe(0)
    await age()
    const main = path.join(import.meta.dirname, '..', '..', 'apps', 'issue-tracker', 'dist', 'main.js')
    const args = ['--data-dir', environment.MCP_TOOLKITS_DATA_DIR, '--metrics-port', '0']
    await using server = await startHttp({ main, args, environment })
    await server.sendRequest(modern(1, 'tools/call', { name: 'IssueTracker_WhoAmI', arguments: {} }))
    return (await scrape(server.errors())).families
  }

  test('name only metrics and labels that servers have, and the dashboard shows every metric', async () => {
    const [events, login] = [await metricsOfEvents(), await metricsOfLogin()]
    const samples = [...events, ...login].flatMap((family) => family.samples)
    const folder = path.join(import.meta.dirname, '..', '..', 'deploy')
    const { panels, templating } = Dashboard.parse(JSON.parse(await readFile(path.join(folder, 'grafana', 'dashboard.json'), 'utf8')))
    const queries = [...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)), ...templating.list.map(({ query }) => query)]
    const rules = Rules.parse(parse(await readFile(path.join(folder, 'prometheus', 'alerts.yaml'), 'utf8')))
    const conditions = rules.groups.flatMap((group) => group.rules.map(({ expr }) => expr))
    for (const query of [...queries, ...conditions]) {
      const { names, labels } = samplesIn(query)
      for (const name of names) {
        const known = samples.filter((sample) => sample.name === name).map((sample) => Object.keys(sample.labels))
        expect(known, query).not.toEqual([])
        for (const label of labels) expect(known.flat(), query).toContain(label)
      }
    }
    const shown = queries.join('\n')
    for (const metric of Object.values<MetricDefinition>(metricDefinitions)) {
      const name = prometheusName(metric)
      expect([...events, ...login].map((family) => family.name)).toContain(name)
      expect(shown).toContain(name)
    }
    const refused = events.find(({ name }) => name === 'mcp_outbox_entries')?.samples.find(({ labels }) => labels['state'] === 'refused')
    expect(refused?.value).toBe(1)
    const refreshes = login.find(({ name }) => name === 'mcp_token_refreshes_total')?.samples
    expect(refreshes).toEqual([{ name: 'mcp_token_refreshes_total', labels: { outcome: 'refreshed' }, value: 1 }])
  })
})

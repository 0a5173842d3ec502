import { stringify } from 'yaml'
import { markdownTable } from '../../packages/server/src/mcp/listing/tool-reference.ts'
import { busyOf, quantileOf, rateOf, valueOf } from './queries.ts'

/** A condition that calls an operator, with the remedy. */
interface Alert {
  readonly name: string
  /** The condition in words: `more than 5 % of calls fail`. */
  readonly condition: string
  readonly expression: string
  /** Minutes that the condition must hold. */
  readonly minutes: number
  readonly severity: 'page' | 'ticket'
  readonly response: string
}

const alerts: readonly Alert[] = [
  {
    name: 'McpServerDown',
    condition: 'a replica does not answer Prometheus',
    expression: 'up{job=~"event-pipeline|file-storage|issue-tracker"} == 0',
    minutes: 3,
    severity: 'page',
    response: 'Look at its log: a start that fails ends with one sentence. `http --check` with its variables says what is wrong.',
  },
  {
    name: 'McpCallsFail',
    condition: 'more than 5 % of the calls of a server end as internal, unavailable or rate_limited',
    expression: `sum by (job) (${rateOf('calls', { outcome: 'internal|unavailable|rate_limited' })}) / sum by (job) (${rateOf('calls')}) > 0.05`,
    minutes: 10,
    severity: 'page',
    response:
      'See which outcome it is. unavailable: McpVendorFails says whether the vendor is down, and `/readyz` whether the database is. internal: a defect, whose place is in the log.',
  },
  {
    name: 'McpVendorFails',
    condition: 'more than 20 % of the requests to a vendor fail or get no answer',
    expression: `sum by (job, host) (${rateOf('upstreamRequests', { status: '5xx|none' })}) / sum by (job, host) (${rateOf('upstreamRequests')}) > 0.2`,
    minutes: 10,
    severity: 'ticket',
    response: 'See the status page of the vendor, and [a vendor that is down for a day](#a-vendor-is-down-for-a-day).',
  },
  {
    name: 'McpVendorSlowsDown',
    condition: 'more than two requests at a time wait because the vendor asked to slow down',
    expression: `sum by (job, host) (${busyOf('upstreamWaitSeconds', { reason: 'rate_limit' })}) > 2`,
    minutes: 15,
    severity: 'ticket',
    response: 'The audit says who calls most. Ask the vendor for a larger quota, or the caller to call less.',
  },
  {
    name: 'McpCallsSlow',
    condition: '5 % of the calls of a server take more than ten seconds',
    expression: `${quantileOf(0.95, 'callSeconds')} > 10`,
    minutes: 15,
    severity: 'ticket',
    response:
      'Compare with the latency of the vendor on the dashboard. If that is low, look at McpDatabaseBusy and the processors of the replicas.',
  },
  {
    name: 'McpLoginsEnd',
    condition: 'more than five refreshes of access tokens in ten minutes fail or end a login',
    expression: `sum by (job) (${rateOf('tokenRefreshes', { outcome: 'failed|ended' })}) * 600 > 5`,
    minutes: 10,
    severity: 'ticket',
    response:
      'Many at once: the OAuth client at the vendor was changed or its secret has expired. Single ones: people have taken back what they granted, and are asked again.',
  },
  {
    name: 'McpOutboxWaits',
    condition: 'the oldest event has waited for more than 15 minutes',
    expression: `max by (job) (${valueOf('outboxOldestSeconds', { state: 'waiting' })}) > 900`,
    minutes: 5,
    severity: 'page',
    response:
      'See [a vendor that is down for a day](#a-vendor-is-down-for-a-day). Nothing is lost; `outbox list` says why each event waits.',
  },
  {
    name: 'McpEventsStay',
    condition: 'events are refused by the vendor, or parked',
    expression: `max by (job) (sum by (job, instance) (${valueOf('outboxEntries', { state: 'refused|parked' })})) > 0`,
    minutes: 30,
    severity: 'ticket',
    response: '`outbox list` shows them with the reason. `outbox retry ID` sends one again, `outbox drop ID` deletes it.',
  },
  {
    name: 'McpDatabaseBusy',
    condition: 'more than five statements wait for a connection to PostgreSQL',
    expression: `sum by (job, instance, pool) (${valueOf('databaseWaiting')}) > 5`,
    minutes: 5,
    severity: 'page',
    response: 'Look at the slow statements of PostgreSQL. If it is idle, put PgBouncer in front, or add a replica.',
  },
  {
    name: 'McpRequestsRefused',
    condition: 'more than one request per second is refused because there are too many',
    expression: `sum by (job, status) (${rateOf('refusedRequests', { status: '429|503' })}) > 1`,
    minutes: 10,
    severity: 'ticket',
    response: '429: the audit names the caller. 503: add replicas, unless McpServerDown says that some are gone.',
  },
]

/** The rules as Prometheus loads them. */
export function alertRules(): string {
  const rules = alerts.map(({ name: alert, condition, expression: expr, minutes, severity, response }) => ({
    alert,
    expr,
    for: `${minutes}m`,
    labels: { severity },
    annotations: {
      summary: `{{ $labels.job }}: ${condition}`,
      response: response.replaceAll(/\]\(#[a-z-]+\)/g, ' (docs/operations.md)').replaceAll('[', ''),
    },
  }))
  return `# Generated by scripts/generate.ts; do not edit.\n${stringify({ groups: [{ name: 'mcp-toolkits', rules }] }, { lineWidth: 0 })}`
}

/** The same for a reader. */
export function alertTable(): string {
  const rows = alerts.map(({ name, condition, minutes, severity, response }) => [
    `\`${name}\``,
    condition,
    `${minutes} min`,
    severity,
    response,
  ])
  return markdownTable(['Alert', 'Condition', 'For', 'Severity', 'What to do'], rows)
}

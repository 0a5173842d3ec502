import { stringify } from 'yaml'
import { busyOf, quantileOf, rateOf, valueOf } from './queries.ts'

/** A condition that alerts an operator, with the remedy. */
interface Alert {
  readonly name: string
  /** The condition in words: `more than 5% of calls fail`. */
  readonly condition: string
  readonly expression: string
  /** Minutes for which the condition must hold. */
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
    response: "The last line of the replica's log says why it failed to start. `http --check` with the same variables finds the mistake.",
  },
  {
    name: 'McpCallsFail',
    condition: 'more than 5% of calls to a server end with internal, unavailable or rate_limited',
    expression: `sum by (job) (${rateOf('calls', { outcome: 'internal|unavailable|rate_limited' })}) / sum by (job) (${rateOf('calls')}) > 0.05`,
    minutes: 10,
    severity: 'page',
    response:
      'Check the dashboard to see which of the three it is. For unavailable, McpVendorFails says whether the vendor is down, and `/readyz` whether the database is. For internal, the log says where the defect is.',
  },
  {
    name: 'McpVendorFails',
    condition: 'more than 20% of requests to a vendor fail or get no response',
    expression: `sum by (job, host) (${rateOf('upstreamRequests', { status: '5xx|none' })}) / sum by (job, host) (${rateOf('upstreamRequests')}) > 0.2`,
    minutes: 10,
    severity: 'ticket',
    response: "Check the vendor's status page, and see [a vendor that is down for a day](#a-vendor-is-down-for-a-day).",
  },
  {
    name: 'McpVendorSlowsDown',
    condition: 'more than two requests at a time wait because the vendor asked us to slow down',
    expression: `sum by (job, host) (${busyOf('upstreamWaitSeconds', { reason: 'rate_limit' })}) > 2`,
    minutes: 15,
    severity: 'ticket',
    response: 'The audit log shows who makes the most calls. Ask the vendor for a larger quota, or ask that caller to make fewer calls.',
  },
  {
    name: 'McpCallsSlow',
    condition: '5% of calls to a server take more than ten seconds',
    expression: `${quantileOf(0.95, 'callSeconds')} > 10`,
    minutes: 15,
    severity: 'ticket',
    response: "Compare the vendor's latency on the dashboard. If it is low, check McpDatabaseBusy and the replicas' CPU load.",
  },
  {
    name: 'McpLoginsEnd',
    condition: 'more than five token refreshes in ten minutes fail, or find that the login has ended',
    expression: `sum by (job) (${rateOf('tokenRefreshes', { outcome: 'failed|ended' })}) * 600 > 5`,
    minutes: 10,
    severity: 'ticket',
    response:
      'If many fail at once, the OAuth client at the vendor was changed, or its secret has expired. If only a few do, people have revoked access and are asked to connect again.',
  },
  {
    name: 'McpOutboxWaits',
    condition: 'the oldest event has waited for over 15 minutes',
    expression: `max by (job) (${valueOf('outboxOldestSeconds', { state: 'waiting' })}) > 900`,
    minutes: 5,
    severity: 'page',
    response:
      'See [a vendor that is down for a day](#a-vendor-is-down-for-a-day). Nothing is lost; `outbox list` says why each event waits.',
  },
  {
    name: 'McpEventsStay',
    condition: 'the outbox holds events that were refused, or parked (not sent again until a person decides)',
    expression: `max by (job) (sum by (job, instance) (${valueOf('outboxEntries', { state: 'refused|parked' })})) > 0`,
    minutes: 30,
    severity: 'ticket',
    response: '`outbox list` says why. `outbox retry ID` resends an event, and `outbox drop ID` deletes it.',
  },
  {
    name: 'McpDatabaseBusy',
    condition: 'more than five statements are waiting for a connection to PostgreSQL',
    expression: `sum by (job, instance, pool) (${valueOf('databaseWaiting')}) > 5`,
    minutes: 5,
    severity: 'page',
    response: 'Look for slow statements in PostgreSQL. If PostgreSQL is idle, put PgBouncer in front, or add a replica.',
  },
  {
    name: 'McpRequestsRefused',
    condition: 'more than one request per second is refused because there are too many requests',
    expression: `sum by (job, status) (${rateOf('refusedRequests', { status: '429|503' })}) > 1`,
    minutes: 10,
    severity: 'ticket',
    response: 'For 429, the audit log names the caller. For 503, add replicas, unless McpServerDown reports that some are down.',
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

/** The alerts as a list for docs/operations.md. */
export function alertList(): string {
  return alerts
    .map(
      ({ name, condition, minutes, severity, response }) =>
        `- **\`${name}\`**, ${severity} after ${minutes} minutes: ${condition}. ${response}`,
    )
    .join('\n')
}

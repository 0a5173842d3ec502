// The tables of docs/benchmarks.md, from the results of the benchmarks.
import { describeMachine } from './machine.ts'
import agents from './agents.json' with { type: 'json' }
import operations from './operations.json' with { type: 'json' }
import drain from './drain.json' with { type: 'json' }
import outbox from './outbox.json' with { type: 'json' }
import people from './people.json' with { type: 'json' }
import replicas from './replicas.json' with { type: 'json' }
import blocking from './blocking.json' with { type: 'json' }
import sharedData from './shared-data.json' with { type: 'json' }
import start from './start.json' with { type: 'json' }
import transfers from './transfers.json' with { type: 'json' }
import { range, table } from './tables.ts'
import weight from './weight.json' with { type: 'json' }

const eras: Readonly<Record<string, string>> = { legacy: '2025-11-25', modern: '2026-07-28' }

/** From the spawn to the answer of `tools/list`. */
export function startTable(): string {
  const rows = start.rows.map((row) => [
    row.name,
    row.tools,
    eras[row.era] ?? row.era,
    range(row.warm_ms),
    row.times_reference,
    row.times_reference_processor,
    row.times_node,
    range(row.cold_ms),
    row.peak_rss_mb,
  ])
  const head = ['', 'tools', 'revision', 'warm, ms', '× one tool', '× one tool, processor', '× `node -e 0`', 'cold, ms', 'peak, MB']
  const about = `Node ${start.node}, ${start.rounds} warm and ${start.cold_rounds} cold starts each, medians (least to most). \`node -e 0\`: ${range(start.bare_node_ms)} ms. Load of the machine before: ${start.load}.`
  return `${about}\n\n${table(head, rows)}`
}

/** What an installation and a start weigh. */
export function weightTable(): string {
  const rows = Object.entries(weight).map(([name, each]) => [
    name,
    each.tools_list_bytes,
    each.bundle_bytes,
    each.start_files,
    each.start_bytes,
  ])
  return table(['', '`tools/list`, bytes', 'bundle, bytes', 'files of a start', 'their bytes'], rows)
}

/** A file into Drive and out again. */
export function transferTable(): string {
  const rows = transfers.map((each) => [
    each.mebibytes,
    each.length,
    each.upload_seconds,
    each.download_seconds,
    each.peak_rss_mb_after_upload,
    each.peak_rss_mb,
  ])
  return table(['MiB', 'length', 'in, s', 'out, s', 'peak after in, MB', 'peak, MB'], rows)
}

/** Four processes on one data directory against one. */
export function sharedDataTable(): string {
  const rows = sharedData.map((each) => [
    each.server,
    range(each.one_ms),
    range(each.four_ms),
    range(each.times_one),
    range(each.slowest_to_median),
    each.locked_block_ms,
  ])
  return table(['', 'one, ms', 'four, ms', '× one', 'slowest to median', 'locked, ms'], rows)
}

/** What the record of an operation costs, beside a bare insert. */
export function operationsTable(): string {
  return table(
    ['', 'ms'],
    operations.map(({ step, ms }) => [step, range(ms)]),
  )
}

/** What an event costs in the outbox, by where that is. */
export function outboxTable(): string {
  const rows = outbox.rows.map((each) => [
    each.engine,
    range(each.server_ms),
    range(each.database_ms),
    range(each.times_sqlite),
    range(each.events_per_s),
    range(each.alone_ms),
    each.drained_per_s,
  ])
  const head = ['', 'server, ms', 'database, ms', '× SQLite', 'events per second', 'one call alone, ms', 'drained per second']
  return `PostgreSQL ${outbox.postgres}, ${outbox.events} events in each round.\n\n${table(head, rows)}`
}

/** How fast queues of several lengths drain. */
export function drainTable(): string {
  const rows = drain.rows.map(
    ({ engine, waiting, drained_per_s: rate, longest_ms: { draining, in_backoff: backoff, of_one_person: ofOne } }) => [
      engine,
      waiting.toLocaleString('en'),
      rate,
      draining,
      backoff,
      ofOne,
    ],
  )
  return table(['', 'waiting', 'drained per second', 'draining, ms', 'all in backoff, ms', 'all about one person, ms'], rows)
}

/** What it costs that each call acts as its person. */
export function peopleTable(): string {
  const { calls, memory } = people
  return [
    table(['plain `http`, ms', '`http --issuer`, ms', 'difference, ms'], [[range(calls.plain_ms), range(calls.people_ms), calls.extra_ms]]),
    table(
      ['server', 'people connected', 'before, MB', 'with everyone, MB', 'peak, MB'],
      memory.map((each) => [each.server, each.people, each.before_mb, each.connected_mb, each.peak_mb]),
    ),
  ].join('\n\n')
}

/** Our servers over HTTP, by how many there are. */
export function replicasTable(): string {
  const rows = replicas.rows.map((each) => [
    each.server,
    `${each.replicas}, ${each.store}`,
    each.delay,
    each.calls_per_s,
    each.p50_ms,
    each.p99_ms,
    each.requests_per_call,
    each.peak_mb,
  ])
  const head = ['', 'replicas', 'vendor late, ms', 'calls per second', 'p50, ms', 'p99, ms', 'requests per call', 'peak of a replica, MB']
  return `${describeMachine(replicas.machine)} PostgreSQL ${replicas.postgres}, ${replicas.calls} calls in each row.\n\n${table(head, rows)}`
}

/** The longest time for which one call blocks the event loop. */
export function blockingTable(): string {
  const rows = blocking.map((each) => [
    each.surface,
    each.arguments,
    each.bytes,
    each.blocked_ms,
    each.processor_ms,
    each.json_parse_ms,
    each.json_parse_ms > 0 ? Math.round((10 * each.processor_ms) / each.json_parse_ms) / 10 : null,
  ])
  return table(['', 'arguments or result', 'bytes', 'blocked, ms', 'processor, ms', '`JSON.parse`, ms', '× `JSON.parse`'], rows)
}

/** How the mistaken calls of agents end. */
export function mistakesTable(): string {
  const rows = agents.mistakes.map((each) => [
    each.server,
    each.calls,
    each.well,
    each.hint,
    each['dead end'],
    each.misled,
    each.silent,
    each.crash,
  ])
  return table(['', 'calls', 'end well', 'hint', 'dead end', 'misled', 'silent', 'crash'], rows)
}

/** What agents read, and whether they can give it back and find the tools. */
export function readingTable(): string {
  const { lists, replies, jobs } = agents.tokens
  const rows = [
    ...lists.map(({ name, ...size }) => ({ name: `\`tools/list\` of ${name}`, ...size })),
    ...replies,
    ...jobs.map(({ name, ...size }) => ({ name: `job: ${name}`, ...size })),
  ].map(({ name, calls, bytes, tokens }) => [name, calls, bytes, tokens])
  const { wishes, first, good } = agents.discoverability
  const trips = agents.round_trips
    .filter(({ tried }) => tried > 0)
    .map(({ server, tried, accepted }) => `${accepted} of ${tried} of ${server}`)
  return [
    table(['', 'calls', 'bytes', 'tokens'], rows),
    `Printed values that were accepted: ${trips.join(', ')}. The right tool is first for ${first} of ${wishes} wishes, and among the first three for ${good}.`,
  ].join('\n\n')
}

// The tables of docs/benchmarks.md about the peers, from the results.
import { table, range } from '../tables.ts'
import { describeMachine } from '../machine.ts'
import results from '../peers.json' with { type: 'json' }
import { exceptions } from './exceptions.ts'

const round = (value: number) => Math.round(value)

/** What an installation and a start cost. */
export function peerStartsTable(): string {
  const rows = results.starts.map((each) => [
    `\`${each.name}\` ${each.version}`,
    each.vendor,
    range(each.ms),
    each.peak_mb,
    each.installed_mb,
    each.packages,
    each.tools,
    round(each.list_bytes / 4),
  ])
  const head = ['', 'vendor', 'to the tools, ms', 'peak, MB', 'installed, MB', 'packages', 'tools', '≈ tokens of the list']
  return `${describeMachine(results.machine)} Medians of ${results.rounds} rounds (least to most).\n\n${table(head, rows)}`
}

/** What the same job costs with each server. */
export function peerJobsTable(): string {
  const rows = results.jobs.map((each) => {
    if (each.problem !== undefined) return [each.job, `\`${each.name}\``, '', `fails: ${quoted(each.problem)}`, '', '', '']
    const { calls, requests, result_bytes: bytes, ms, ms_at_100: late } = each
    return [each.job, `\`${each.name}\``, calls, requests, round(bytes / 4), range(ms), range(late)]
  })
  return table(['', '', 'calls', 'requests', '≈ tokens', 'ms', 'ms at 100 ms'], rows)
}

/** The same events by our server and by the SDKs of Customer.io. */
export function peerEventsTable(): string {
  const rows = results.events.map(({ job, name, requests, ms, ms_at_100: late }) => [
    job,
    senderName(name),
    requests,
    range(ms),
    range(late),
  ])
  return table(['', '', 'requests', 'ms', 'ms at 100 ms'], rows)
}

/** What a killed process has lost of the events that it had accepted. */
export function peerLossesTable(): string {
  const rows = results.losses.map(({ name, accepted, lost, doubled }) => [senderName(name), accepted, lost, doubled])
  return table(['', 'accepted', 'lost', 'counted twice'], rows)
}

/** What the caller sees while the vendor fails. */
export function peerFaultsTable(): string {
  const rows = results.faults.map((each) => [each.fault, `\`${each.name}\``, each.outcome, each.seconds, each.requests, quoted(each.text)])
  return table(['', '', 'outcome', 'after, s', 'requests', 'the model reads'], rows)
}

/** What exists after a create whose answer was lost, when the agent makes the same call again. */
export function peerRepeatsTable(): string {
  const said = ({ outcome, text }: Readonly<Record<'outcome' | 'text', string>>) =>
    text === '' ? outcome : `${outcome}: ${quoted(text, 240)}`
  const rows = results.repeats.rows.map(({ loss, job, name, first, second, requests, created }) => [
    ...[loss, job, `\`${name}\``, said(first), second ? said(second) : 'not needed'],
    ...[requests, created],
  ])
  const head = ['', '', '', 'the first call', 'the same call again', 'requests', 'created']
  return `Measured on ${results.repeats.measured_on}.\n\n${table(head, rows)}`
}

/** Where a peer does better than we do, and why. */
export function peerExceptionsTable(): string {
  const rows = exceptions(results).map(({ job, peer, measure, ours, theirs, reason }) => [
    job,
    senderName(peer),
    measure,
    ours,
    theirs,
    reason ?? '**unexplained**',
  ])
  return rows.length === 0 ? 'There is none.' : table(['', '', '', 'we', 'they', 'why'], rows)
}

/** A package as code, and how it is used, which is marked up already. */
function senderName(name: string): string {
  const [packageName, ...use] = name.split(', ')
  return [`\`${packageName}\``, ...use].join(', ')
}

/** The beginning of a text, in a cell of a table. */
function quoted(text: string, most = 160): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim()
  const beginning = line.length > most ? `${line.slice(0, most)}…` : line
  return beginning === '' ? '' : `\`${beginning.replaceAll('`', "'")}\``
}

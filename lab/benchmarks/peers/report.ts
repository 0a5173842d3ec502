import { describeMachine } from '../machine.ts'
import { range, table } from '../tables.ts'
import { exceptions } from './exceptions.ts'
import type { PeerResults } from './run.ts'

const round = (value: number) => Math.round(value)

function startsTable(results: PeerResults): string {
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

function jobsTable(results: PeerResults): string {
  const rows = results.jobs.map((each) => {
    if (each.problem !== undefined) return [each.job, `\`${each.name}\``, '', `fails: ${quoted(each.problem)}`, '', '', '']
    const { calls, requests, result_bytes: bytes, ms, ms_at_100: late } = each
    return [each.job, `\`${each.name}\``, calls, requests, bytes && round(bytes / 4), range(ms), range(late)]
  })
  return table(['', '', 'calls', 'requests', '≈ tokens', 'ms', 'ms at 100 ms'], rows)
}

function eventsTable(results: PeerResults): string {
  const rows = results.events.map(({ job, name, requests, ms, ms_at_100: late }) => [
    job,
    senderName(name),
    requests,
    range(ms),
    range(late),
  ])
  return table(['', '', 'requests', 'ms', 'ms at 100 ms'], rows)
}

function lossesTable(results: PeerResults): string {
  const rows = results.losses.map(({ name, accepted, lost, doubled }) => [senderName(name), accepted, lost, doubled])
  return table(['', 'accepted', 'lost', 'counted twice'], rows)
}

function faultsTable(results: PeerResults): string {
  const rows = results.faults.map((each) => [each.fault, `\`${each.name}\``, each.outcome, each.seconds, each.requests, quoted(each.text)])
  return table(['', '', 'outcome', 'after, s', 'requests', 'the model reads'], rows)
}

function repeatsTable(results: PeerResults): string {
  const said = ({ outcome, text }: Readonly<Record<'outcome' | 'text', string>>) =>
    text === '' ? outcome : `${outcome}: ${quoted(text, 240)}`
  const rows = results.repeats.rows.map(({ loss, job, name, first, second, requests, created }) => [
    ...[loss, job, `\`${name}\``, said(first), second ? said(second) : 'not needed'],
    ...[requests, created],
  ])
  const head = ['', '', '', 'the first call', 'the same call again', 'requests', 'created']
  return `Measured on ${results.repeats.measured_on}.\n\n${table(head, rows)}`
}

function exceptionsTable(results: PeerResults): string {
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

/** A package's name as code, with the way it is used, which is already marked up. */
function senderName(name: string): string {
  const [packageName, ...use] = name.split(', ')
  return [`\`${packageName}\``, ...use].join(', ')
}

/** The beginning of a text, for a table cell. */
function quoted(text: string, most = 160): string {
  const line = text.replaceAll(/\s+/g, ' ').replaceAll('|', '\\|').trim()
  const beginning = line.length > most ? `${line.slice(0, most)}…` : line
  return beginning === '' ? '' : `\`${beginning.replaceAll('`', "'")}\``
}

export const report = (results: PeerResults): string =>
  [
    '## Installation and start',
    startsTable(results),
    '## The same jobs',
    '`requests` counts requests to the vendor, after a first call. `ms` is with a vendor that answers immediately, the last column with one that answers after 100 ms.',
    jobsTable(results),
    '## Where a peer needs less',
    exceptionsTable(results),
    '## Events',
    eventsTable(results),
    '## Events after a killed process',
    lossesTable(results),
    '## While the vendor fails',
    faultsTable(results),
    '## A repeated create',
    repeatsTable(results),
  ].join('\n\n')

// Cases in which a peer needs less than we do. The page lists each with the reason.
import { isOurs } from './catalog.ts'

type JobFigures = Readonly<{
  job: string
  name: string
  requests?: number
  result_bytes?: number
  ms?: { readonly median: number }
  ms_at_100?: { readonly median: number }
}>

type EventFigures = Readonly<{
  job: string
  name: string
  requests: number
  ms: { readonly median: number }
  ms_at_100?: { readonly median: number }
}>

type StartFigures = Readonly<{ name: string; vendor: string; list_bytes: number }>

type Measure = 'requests' | 'tokens' | 'ms' | 'ms at 100 ms'

export interface Exception {
  readonly job: string
  readonly peer: string
  readonly measure: Measure
  readonly ours: number
  readonly theirs: number
  /** The reason; undefined until someone has looked into it. */
  readonly reason: string | undefined
}

/** Share by which times must differ to count as different, because times vary from run to run. */
const margin = 0.05

const reasons: Readonly<Record<string, string>> = {
  'get an issue, tokens':
    'the answer also has comments, relations, attachments and sub-issues, for which agents otherwise call again; each can be left out',
  'update an issue, tokens': 'the answer says what has changed and where the write went',
  'find 20 files, tokens': 'JSON with the id, type, size and time of each file, where the peer writes a line of text',
  'list 50 files of a folder by its path, tokens':
    'JSON with the id, type, size and time of each file, where the peer writes a line of text',
  'list of tools, tokens': '36 tools instead of 24, with the shapes of results; `--tools` and `--read-only` shorten it',
  'download 1 MiB, tokens': 'the content comes in the answer, for clients without a disk of the server; the peer writes a file',
  'download 64 MiB, tokens': 'the content comes in the answers, for clients without a disk of the server; the peer writes a file',
  'download 64 MiB, requests': 'an answer holds 5 MiB, so that each part takes a call and a request',
  'download 64 MiB, ms at 100 ms': 'an answer holds 5 MiB, so that each part takes a call and a request',
  'read a file by its path, tokens':
    'the text stands in both parts of the result, because hosts show only one of them, and the bytes beside it for programs',
  'create a folder, tokens': 'the answer describes the new folder with all its fields',
  'upload 1 MiB, tokens': 'the answer describes the new file with all its fields and its checksum',
}

/** All figures in which a peer that does a job needs less, and the shorter tool lists. */
export function exceptions({
  jobs,
  starts,
  events,
}: {
  readonly jobs: readonly JobFigures[]
  readonly starts: readonly StartFigures[]
  readonly events: readonly EventFigures[]
}): Exception[] {
  const lists = starts.map(({ name, vendor, list_bytes: bytes }) => ({ job: 'list of tools', vendor, name, result_bytes: bytes }))
  const compared = [
    ...Map.groupBy<string, JobFigures>([...jobs, ...events], ({ job }) => job).values(),
    ...Map.groupBy(lists, ({ vendor }) => vendor).values(),
  ]
  return compared.flatMap((rows: readonly JobFigures[]) => {
    const ours = rows.find(({ name }) => isOurs(name))
    return ours ? rows.filter((peer) => peer !== ours).flatMap((peer) => compare(ours.job, ours, peer)) : []
  })
}

function compare(job: string, ours: JobFigures, peer: JobFigures): Exception[] {
  const pairs: readonly [Measure, number | undefined, number | undefined][] = [
    ['requests', ours.requests, peer.requests],
    ['tokens', tokensOf(ours), tokensOf(peer)],
    ['ms', ours.ms?.median, peer.ms?.median],
    ['ms at 100 ms', ours.ms_at_100?.median, peer.ms_at_100?.median],
  ]
  return pairs.flatMap(([measure, mine, theirs]) => {
    if (mine === undefined || theirs === undefined) return []
    const isWorse = measure.startsWith('ms') ? mine > theirs * (1 + margin) : mine > theirs
    return isWorse ? [{ job, peer: peer.name, measure, ours: mine, theirs, reason: reasonOf({ job, peer: peer.name, measure }) }] : []
  })
}

/** The reason why we need more. If the vendor answers immediately, all the time is our own work. */
function reasonOf({ job, peer, measure }: Pick<Exception, 'job' | 'peer' | 'measure'>): string | undefined {
  if (peer.endsWith('by default') && !job.startsWith('a batch'))
    return 'the SDK holds events in memory and sends several in one request; it loses those that it still holds when its process ends'
  const isEvents = /^(?:100 events|a batch)/.test(job)
  if (measure !== 'ms' && !(measure === 'ms at 100 ms' && isEvents)) return reasons[`${job}, ${measure}`]
  return isEvents || /^(?:create|update|upload)/.test(job)
    ? 'the call is recorded on disk before it is sent, so that it survives a killed process'
    : 'every record of the answer is checked and shaped'
}

const tokensOf = ({ result_bytes: bytes }: JobFigures) => (bytes === undefined ? undefined : Math.round(bytes / 4))

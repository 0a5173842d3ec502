// Where a peer needs less than we do: each such figure stands on the page with its reason.

type JobFigures = Readonly<{
  job: string
  name: string
  requests?: number
  result_bytes?: number
  ms_at_100?: { readonly median: number }
}>

type Measure = 'requests' | 'tokens' | 'ms at 100 ms'

export interface Exception {
  readonly job: string
  readonly peer: string
  readonly measure: Measure
  readonly ours: number
  readonly theirs: number
  /** Undefined for one that no one has looked into yet. */
  readonly reason: string | undefined
}

const ourServers = ['issue-tracker', 'file-storage']

/** Times differ by this share from run to run. */
const noise = 0.05

const reasons: Readonly<Record<string, string>> = {
  'get an issue, tokens':
    'the answer also has comments, relations, attachments and sub-issues, for which agents otherwise call again; each can be left out',
  'update an issue, tokens': 'the answer says what has changed and where the write went',
  'find 20 files, tokens': 'each file also has its type, size, dates, folder and link, so that the next call needs no search',
  'list 50 files of a folder by its path, tokens':
    'each file also has its type, size, dates, folder and link, so that the next call needs no search',
  'upload 1 MiB, tokens': 'the answer has the whole file with its checksum, and says that it was stored once',
}

/** All figures of a job in which a peer that does it needs less. */
export function exceptions(rows: readonly JobFigures[]): Exception[] {
  return [...Map.groupBy(rows, ({ job }) => job)].flatMap(([job, each]) => {
    const ours = each.find(({ name }) => ourServers.includes(name))
    if (!ours) return []
    return each.filter((peer) => peer !== ours).flatMap((peer) => compare(job, ours, peer))
  })
}

function compare(job: string, ours: JobFigures, peer: JobFigures): Exception[] {
  const pairs: readonly [Measure, number | undefined, number | undefined][] = [
    ['requests', ours.requests, peer.requests],
    ['tokens', tokensOf(ours), tokensOf(peer)],
    ['ms at 100 ms', ours.ms_at_100?.median, peer.ms_at_100?.median],
  ]
  return pairs.flatMap(([measure, mine, theirs]) => {
    if (mine === undefined || theirs === undefined) return []
    const isWorse = measure === 'ms at 100 ms' ? mine > theirs * (1 + noise) : mine > theirs
    return isWorse ? [{ job, peer: peer.name, measure, ours: mine, theirs, reason: reasons[`${job}, ${measure}`] }] : []
  })
}

const tokensOf = ({ result_bytes: bytes }: JobFigures) => (bytes === undefined ? undefined : Math.round(bytes / 4))

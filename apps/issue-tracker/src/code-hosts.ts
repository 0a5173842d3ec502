import type { JsonObject } from '@mcp-toolkits/core/base'
import { plainReading } from './linear/references.ts'

/** A pull request, commit or issue on a code host. */
export interface Artifact {
  readonly kind: 'pull_request' | 'commit' | 'issue'
  /** The URL up to the number or hash. */
  readonly url: string
  /** A title such as "PR #12: owner/repo". */
  readonly title: string
}

interface UrlPattern {
  readonly kind: Artifact['kind']
  /** Matches the rest of a path after the repository; its group is the number or the hash. */
  readonly pattern: RegExp
  readonly title: (reference: string, repository: string) => string
}

/** Paths on GitHub, GitLab, Bitbucket, Gitea, Azure DevOps and self-hosted servers. */
const urlPatterns: readonly UrlPattern[] = [
  {
    // A commit's page within a pull request means the commit.
    kind: 'commit',
    pattern: /\/pull\/\d+\/commits\/([0-9a-f]{7,64})(?=\/|$)/i,
    title: (hash, repository) => `Commit ${hash.slice(0, 7).toLowerCase()}: ${repository}`,
  },
  {
    kind: 'pull_request',
    pattern: /\/(?:-\/merge_requests|merge_requests|pull-requests|pulls?|pullrequest)\/(\d+)(?=\/|$)/,
    title: (number, repository) => `PR #${number}: ${repository}`,
  },
  {
    kind: 'commit',
    pattern: /\/(?:-\/)?commits?\/([0-9a-f]{7,64})(?=\/|$)/i,
    title: (hash, repository) => `Commit ${hash.slice(0, 7).toLowerCase()}: ${repository}`,
  },
  {
    kind: 'issue',
    pattern: /\/(?:-\/)?(?:issues|work_items|_workitems\/edit)\/(\d+)(?=\/|$)/,
    title: (number, repository) => `Issue #${number}: ${repository}`,
  },
]

/**
 * The artifact that a URL names, judging by its path; nothing is fetched. Undefined for anything but a pull request (or merge request), a
 * commit or an issue.
 */
export function parseArtifactUrl(text: string): Artifact | undefined {
  const url = URL.parse(withScheme(plainReading(text)))
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.password !== '') return undefined
  // A host name with non-ASCII letters can look like a well-known one.
  if (/(?:^|\.)xn--/.test(url.hostname)) return undefined
  for (const { kind, pattern, title } of urlPatterns) {
    const match = pattern.exec(url.pathname)
    const repository = match && parseRepository(url.pathname.slice(0, match.index))
    const [whole, reference] = match ?? []
    if (!repository || whole === undefined || reference === undefined) continue
    const path = url.pathname.slice(0, match.index + whole.length)
    return { kind, url: `${url.origin}${path}`, title: title(reference, repository) }
  }
  return undefined
}

/** Adds the scheme to an address without one, as browsers show it. */
function withScheme(address: string): string {
  return /^[a-z0-9-]+(?:\.[a-z0-9-]+)+\//i.test(address) ? `https://${address}` : address
}

/** The repository's name. Azure DevOps writes `owner/project/_git/name`. Bitbucket Server writes `projects/KEY/repos/name`. */
function parseRepository(path: string): string | undefined {
  const segments = path.split('/').filter((segment) => segment !== '' && segment !== '_git')
  const parts =
    /^(?:projects|users)$/.test(segments.at(-4) ?? '') && segments.at(-2) === 'repos' ? [segments.at(-3), segments.at(-1)] : segments
  return parts.length < 2 ? undefined : parts.map((segment) => decodeSegment(segment ?? '')).join('/')
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}

/** Parts of an artifact's URL, by the names that callers give them. */
const partNames = {
  owner: /^(?:(?:repo_?)?owner|org(?:anization)?)$/i,
  repository: /^repo(?:sitory)?_?(?:url|name)?$/i,
  pull: /^(?:pull|pr|mr|merge)_?(?:request)?_?(?:number|id|iid)?$/i,
  issue: /^issue_?(?:number|iid)$/i,
  commit: /^(?:commit|sha|commit_?(?:sha|hash|id))$/i,
} as const

/**
 * The change that builds an artifact's URL from the repository and the number or hash in other arguments; undefined if either is missing.
 */
export function artifactOf(others: JsonObject): JsonObject | undefined {
  const given = Object.entries(partNames).flatMap(([part, pattern]) =>
    Object.entries(others).flatMap(([name, value]) => (pattern.test(name) ? [[part, name, String(value).trim()] as const] : [])),
  )
  const textOf = (part: keyof typeof partNames) => given.find(([each]) => each === part)?.[2]
  const [owner, repository = ''] = [textOf('owner'), textOf('repository')]
  const home = repository.includes('/') || owner === undefined ? repository : `${owner}/${repository}`
  const base = /^[\w.-]+\/[\w.-]+$/.test(home) ? `https://github.com/${home}` : home.replace(/\.git$|\/$/, '')
  const host = URL.parse(base)?.hostname ?? ''
  const pages = {
    pull: host.includes('gitlab') ? '-/merge_requests' : host.includes('bitbucket') ? 'pull-requests' : 'pull',
    issue: 'issues',
    commit: 'commit',
  }
  const named = (['pull', 'issue', 'commit'] as const).filter((part) => textOf(part) !== undefined)
  const [part, ...more] = named
  const artifact = part === undefined || more.length > 0 ? undefined : parseArtifactUrl(`${base}/${pages[part]}/${textOf(part)}`)
  return artifact && { ...Object.fromEntries(given.map(([, name]) => [name, null])), code_host_url: artifact.url }
}

// Calls on workspaces and drives with more and more in them, over stdio to the emulator in another process, beside one request by
// `fetch` to the same emulator. The time is what one call takes.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import * as z from 'zod'
import { fileIdFor } from '../../../packages/emulators/drive/src/files/ids.ts'
import { fileStorage, issueTracker } from '../../../servers.ts'
import { startServer } from '../peers/client.ts'
import { peakOf } from '../../../packages/testing/src/processes/proc.ts'
import { startEmulator } from '../scale/running-emulator.ts'
import { medianOf } from '../statistics.ts'
import { directoryOf, issues, nestedPath, pathCount, paths, type Planting, tree } from './planted.ts'
import type { Sample, Series, SizeResult } from './series.ts'

/** Calls that load what the first ones load, and are not counted. */
const warmUp = 4
/** Calls of one measurement, each with a number above those of the warm-up. */
const calls = pathCount - warmUp

/** A request to the vendor without a server between. */
interface BareRequest {
  readonly path: string
  /** Sent as JSON; a GET when absent. */
  readonly body?: object
}

interface Job {
  readonly planting: Planting
  readonly tool: string
  /** The arguments of the call with this number, in data of this size. */
  readonly given: (number: number, size: number) => object
  readonly bare: (number: number) => BareRequest
}

const kinds = {
  'linear-emulator': {
    server: issueTracker.name,
    authorization: 'lin_api_emulator',
    environment: (url: string) => ({ ISSUE_TRACKER_API_KEY: 'lin_api_emulator', ISSUE_TRACKER_API_URL: `${url}/graphql` }),
  },
  'drive-emulator': {
    server: fileStorage.name,
    authorization: 'Bearer drive-emulator',
    environment: (url: string) => ({ FILE_STORAGE_ACCESS_TOKEN: 'drive-emulator', FILE_STORAGE_API_URL: url }),
  },
} as const

const Requests = z.object({ requests: z.array(z.object({ id: z.number() })) })

/** The number of the last request that the emulator has answered; they are numbered in their order. */
async function lastRequest(url: string): Promise<number> {
  let last = 0
  for (let page: number[] | undefined; page === undefined || page.length > 0; last = page.at(-1) ?? last) {
    const answer = await fetch(`${url}/__emulator/requests?after=${last}&limit=1000`)
    page = Requests.parse(await answer.json()).requests.map(({ id }) => id)
  }
  return last
}

async function send(url: string, { path: target, body }: BareRequest, authorization: string): Promise<void> {
  const headers = { authorization, ...(body && { 'content-type': 'application/json' }) }
  const answer = await fetch(url + target, { headers, ...(body && { method: 'POST', body: JSON.stringify(body) }) })
  const text = await answer.text()
  if (!answer.ok || text.includes('"errors":')) throw new Error(`${target}: ${answer.status} ${text.slice(0, 300)}`)
}

async function measure({ planting, tool, given, bare }: Job, size: number): Promise<Sample> {
  const { server: name, authorization, environment } = kinds[planting.emulator]
  const directory = mkdtempSync(path.join(tmpdir(), 'bench-'))
  await using emulator = await startEmulator(planting.emulator, await directoryOf(planting, size))
  await using server = await startServer({
    main: path.join(import.meta.dirname, '..', '..', '..', 'apps', name, 'dist', 'main.js'),
    environment: { PATH: process.env['PATH'] ?? '', MCP_TOOLKITS_DATA_DIR: directory, ...environment(emulator.url) },
  })
  const timed = async (work: () => Promise<void>) => {
    const started = performance.now()
    await work()
    return performance.now() - started
  }
  const call = async (number: number) => {
    const reply = await server.call(tool, given(number, size))
    if (!reply || reply.isError) throw new Error(reply?.text)
  }
  try {
    for (let number = 0; number < warmUp; number += 1) await call(number)
    const before = await lastRequest(emulator.url)
    const [times, limits]: [number[], number[]] = [[], []]
    for (let number = warmUp; number < warmUp + calls; number += 1) {
      times.push(await timed(() => call(number)))
      limits.push(await timed(() => send(emulator.url, bare(number), authorization)))
    }
    const requests = (await lastRequest(emulator.url)) - before - limits.length
    return { ms: medianOf(times), peakMb: peakOf(server.pid), limitMs: medianOf(limits), counts: { calls, requests } }
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** Whether more data needs more requests. */
function moreRequests(points: readonly SizeResult[]): string[] {
  const [first] = points
  const more = points.find(({ counts }) => (counts['requests'] ?? 0) > (first?.counts['requests'] ?? 0))
  return more && first
    ? [
        `size ${more.size} needs ${more.counts['requests']} requests and size ${first.size} ${first.counts['requests']}; no more are allowed`,
      ]
    : []
}

type Description = Pick<Series, 'name' | 'job' | 'unit' | 'limit' | 'sizes' | 'quick'>

const seriesOf = (description: Description, job: Job): Series => ({
  ...description,
  memoryExponent: 0.1,
  open: () => Promise.resolve({ measure: (size) => measure(job, size), [Symbol.asyncDispose]: () => Promise.resolve() }),
  problems: moreRequests,
})

const sizesUpTo = (most: number) => [1_000, 10_000, 100_000, 1_000_000].filter((size) => size <= most).map((size) => ({ size, rounds: 3 }))
const amongIssues = { unit: 'issues', sizes: sizesUpTo(100_000), quick: 1 }
const amongFiles = { unit: 'files', sizes: sizesUpTo(1_000_000), quick: 1 }

const graphql = (query: string, variables: object = {}): BareRequest => ({ path: '/graphql', body: { query, variables } })
const list = (q: string): BareRequest => ({
  path: `/drive/v3/files?${new URLSearchParams({ q, pageSize: '50', fields: 'files(id,name)' }).toString()}`,
})
const oneFile: BareRequest = { path: '/drive/v3/files?pageSize=1&fields=files(id,name)' }

const issueSeries = [
  seriesOf(
    { ...amongIssues, name: 'issue-lists', job: 'list of 50 issues', limit: 'the same list by `fetch`' },
    {
      planting: issues,
      tool: 'IssueTracker_ListIssues',
      given: () => ({ limit: 50 }),
      bare: () => graphql('{ issues(first: 50) { nodes { id identifier title state { name } assignee { name } } } }'),
    },
  ),
  seriesOf(
    { ...amongIssues, name: 'issues', job: 'one issue by its identifier', limit: 'the same issue by `fetch`' },
    {
      planting: issues,
      tool: 'IssueTracker_GetIssue',
      given: (number) => ({ issue_id: `ENG-${number + 1}` }),
      bare: (number) => graphql('query ($id: String!) { issue(id: $id) { id title description } }', { id: `ENG-${number + 1}` }),
    },
  ),
  seriesOf(
    { ...amongIssues, name: 'new-issues', job: 'a new issue', limit: 'the list of teams by `fetch`' },
    {
      planting: issues,
      tool: 'IssueTracker_CreateIssue',
      given: (number) => ({ team: 'ENG', title: `Measured ${number} ${performance.now()}` }),
      bare: () => graphql('{ teams(first: 50) { nodes { id key } } }'),
    },
  ),
]

const fileSeries = [
  seriesOf(
    { ...amongFiles, name: 'folder-searches', job: 'search in a folder, by its path', limit: 'the search for the folder by `fetch`' },
    {
      planting: tree,
      tool: 'FileStorage_SearchFiles',
      given: () => ({ query: 'item', folder_path_or_id: '/Folder 0', limit: 50 }),
      bare: () => list("name = 'Folder 0' and trashed = false"),
    },
  ),
  seriesOf(
    { ...amongFiles, name: 'file-searches', job: 'search for a rare word', limit: 'the same search by `fetch`' },
    {
      planting: tree,
      tool: 'FileStorage_SearchFiles',
      given: () => ({ query: 'zeppelin', limit: 20 }),
      bare: () => list("name contains 'zeppelin' or fullText contains 'zeppelin'"),
    },
  ),
  seriesOf(
    { ...amongFiles, name: 'contents', job: 'content of a file by its path', limit: 'the content by its id, by `fetch`' },
    {
      planting: tree,
      tool: 'FileStorage_DownloadFile',
      given: (number) => ({ file_path_or_id: `/Folder 0/Item ${number === 0 ? 1 : number}.txt` }),
      bare: (number) => ({ path: `/drive/v3/files/${fileIdFor(`bulk ${number}`)}?alt=media` }),
    },
  ),
  seriesOf(
    {
      ...{
        name: 'path-depths',
        job: 'content of a file by a path that is new to the server',
        unit: 'names in the path',
        limit: 'a list of one file by `fetch`',
        quick: 3,
      },
      sizes: Array.from({ length: 12 }, (_, index) => ({ size: index + 1, rounds: 3 })),
    },
    {
      planting: paths,
      tool: 'FileStorage_DownloadFile',
      given: (number, depth) => ({ file_path_or_id: nestedPath(depth, number) }),
      bare: () => oneFile,
    },
  ),
]

/** What grows with the data of the vendor. */
export const dataSeries: readonly Series[] = [...issueSeries, ...fileSeries]

// The servers to compare, their versions, and the calls that each needs for a job.
import { statSync } from 'node:fs'
import path from 'node:path'
import { fileStorage, issueTracker, servers } from '../../../servers.ts'
import type { Program } from '../../../packages/testing/src/processes/measure-start.ts'
import { peerPackages } from '../../tasks/peers/packages.ts'
import type { Reply } from '../client.ts'

export type Vendor = 'Linear' | 'Google Drive'

/** The data at the benchmark's vendors. */
export interface World {
  readonly upstream: string
  /** Linear: a team, and one of its issues. */
  readonly team: string
  readonly issue: string
  /** Drive: a file three folders deep, its text, and a folder with 60 files. */
  readonly path: string
  readonly folder: string
  readonly text: string
  /** A file of 1 MiB on this machine, and its address. */
  readonly localFile: string
  readonly sourceUrl: string
  /** A directory that servers may write to. */
  readonly directory: string
  /** Drive: files by their size. */
  readonly recordings: Readonly<Record<'1 MiB' | '64 MiB', Recording>>
}

export interface Recording {
  readonly id: string
  readonly bytes: number
}

export type Call = (tool: string, args: object) => Promise<Reply>

/** Does a job with as many calls as an agent needs. The last reply must contain what the job is about. */
export type Work = (call: Call, world: World) => Promise<Reply>

export interface Candidate {
  readonly name: string
  readonly vendor: Vendor
  /** The package on npm; undefined for ours, which are packed from this checkout. */
  readonly spec: string | undefined
  /** The file that starts the server, in its installation. */
  readonly main: string
  readonly environment: (world: World) => Readonly<Record<string, string>>
  readonly work: Readonly<Partial<Record<string, Work>>>
}

const preload = path.join(import.meta.dirname, 'preload.ts')

/** An installed candidate's program. */
export function programOf({ main, environment, spec }: Candidate, directory: string, world: World): Program {
  const file = path.join(directory, 'node_modules', main)
  const { PATH = '' } = process.env
  return {
    main: file,
    options: spec === undefined ? [] : ['--import', preload],
    environment: { PATH, HOME: directory, BENCH_UPSTREAM: world.upstream, ...environment(world) },
  }
}

let counter = 0
const newTitle = () => `Written by the benchmark ${(counter += 1)}`

const ours = (server: { readonly name: string }) => ({
  name: server.name,
  spec: undefined,
  main: path.join('@mcp-toolkits', server.name, 'dist', 'main.js'),
})

const linearServer: Candidate = {
  ...ours(issueTracker),
  vendor: 'Linear',
  environment: ({ upstream }) => ({ ISSUE_TRACKER_API_KEY: 'lin_api_emulator', ISSUE_TRACKER_API_URL: `${upstream}/graphql` }),
  work: {
    'get an issue': (call, { issue }) => call('IssueTracker_GetIssue', { issue_id: issue }),
    'list 10 issues': (call) => call('IssueTracker_ListIssues', { limit: 10 }),
    'list 50 issues': (call) => call('IssueTracker_ListIssues', { limit: 50 }),
    'search issues': (call) => call('IssueTracker_ListIssues', { keywords: 'sync', limit: 10 }),
    'create an issue in a team': (call, { team }) => call('IssueTracker_CreateIssue', { team, title: newTitle(), description: 'Text.' }),
    'update an issue': (call, { issue }) => call('IssueTracker_UpdateIssue', { issue_id: issue, title: newTitle() }),
  },
}

/** A peer, in the version that the tasks also use. */
function peer(name: keyof typeof peerPackages) {
  const { version, main, environment } = peerPackages[name]
  return { name, spec: `${name}@${version}`, main: `${name}/${main}`, environment: () => environment }
}

const tacticlaunch: Candidate = {
  ...peer('@tacticlaunch/mcp-linear'),
  vendor: 'Linear',
  work: {
    'get an issue': (call, { issue }) => call('linear_getIssueById', { id: issue }),
    'list 10 issues': (call) => call('linear_getIssues', { limit: 10 }),
    'list 50 issues': (call) => call('linear_getIssues', { limit: 50 }),
    'search issues': (call) => call('linear_searchIssues', { query: 'sync', limit: 10 }),
    async 'create an issue in a team'(call) {
      const teamId = linearId((await call('linear_getTeams', {})).text, 'Engineering')
      return call('linear_createIssue', { teamId, title: newTitle(), description: 'Text.' })
    },
    'update an issue': (call, { issue }) => call('linear_updateIssue', { id: issue, title: newTitle() }),
  },
}

const dvcrn: Candidate = {
  ...peer('mcp-server-linear'),
  vendor: 'Linear',
  work: {
    'get an issue': (call, { issue }) => call('linear_get_issue', { identifier: issue }),
    'list 10 issues': (call) => call('linear_search_issues', { first: 10 }),
    'list 50 issues': (call) => call('linear_search_issues', { first: 50 }),
    'search issues': (call) => call('linear_search_issues', { query: 'sync', first: 10 }),
    async 'create an issue in a team'(call) {
      const teamId = linearId((await call('linear_get_teams', {})).text, 'Engineering')
      return call('linear_create_issue', { teamId, title: newTitle(), description: 'Text.' })
    },
    async 'update an issue'(call, { issue }) {
      const { text } = await call('linear_search_issues', { first: 100 })
      return call('linear_edit_issue', { issueId: linearId(text, issue), title: newTitle() })
    },
  },
}

const driveServer: Candidate = {
  ...ours(fileStorage),
  vendor: 'Google Drive',
  environment: ({ upstream, sourceUrl }) => ({
    FILE_STORAGE_ACCESS_TOKEN: 'drive-emulator',
    FILE_STORAGE_API_URL: upstream,
    FILE_STORAGE_ALLOW_PRIVATE_URLS: new URL(sourceUrl).host,
  }),
  work: {
    'read a file by its path': (call, { path: file }) => call('FileStorage_DownloadFile', { file_path_or_id: file }),
    'find 20 files': (call) => call('FileStorage_SearchFiles', { query: 'report', limit: 20 }),
    'list 50 files of a folder by its path': (call, { folder }) =>
      call('FileStorage_SearchFiles', { query: 'report', folder_path_or_id: folder, limit: 50 }),
    'upload 1 MiB': (call, { sourceUrl, folder }) =>
      call('FileStorage_UploadFile', {
        file_name: `${newTitle()}.bin`,
        source_url: sourceUrl,
        destination_folder_path_or_id: folder,
      }),
    'create a folder': (call, { folder }) =>
      call('FileStorage_CreateFolder', { folder_name: newTitle(), parent_folder_path_or_id: folder }),
    'download 1 MiB': (call, { recordings }) => downloadHere(call, recordings['1 MiB']),
    'download 64 MiB': (call, { recordings }) => downloadHere(call, recordings['64 MiB']),
  },
}

/** Downloads a file whose content is in results: all of it in one, or 5 MiB in each. */
async function downloadHere(call: Call, { id, bytes }: Recording): Promise<Reply> {
  const chunkBytes = 5 * 1024 ** 2
  if (bytes < chunkBytes) return withContent(await call('FileStorage_DownloadFile', { file_path_or_id: id }), bytes)
  let reply: Reply | undefined
  for (let start = 0; start < bytes; start += chunkBytes) {
    const chunk = await call('FileStorage_DownloadFileChunk', { file_path_or_id: id, start_byte: start })
    reply = withContent(chunk, Math.min(chunkBytes, bytes - start))
  }
  if (!reply) throw new Error('The file is empty.')
  return reply
}

/** Checks that an answer contains this many bytes of content in base64. */
function withContent(reply: Reply, bytes: number): Reply {
  if (reply.text.length < (4 * bytes) / 3) throw new Error(`not the content: ${reply.text.slice(0, 200)}`)
  return reply
}

/** Downloads a file whose content the server writes to disk. */
async function downloadToFile(call: Call, { id, bytes }: Recording, { directory }: World): Promise<Reply> {
  const localPath = path.join(directory, 'download.bin')
  const reply = await call('downloadFile', { fileId: id, localPath, overwrite: true })
  if (statSync(localPath).size !== bytes) throw new Error(`not the content: ${reply.text.slice(0, 200)}`)
  return reply
}

/** Id of the record with this name or identifier in the Linear peers' JSON. */
const linearId = (text: string, name: string) => new RegExp(`"id": "([^"]+)",\\s*"(?:name|identifier)": "${name}"`).exec(text)?.[1] ?? ''

/** Id of the file with this name in the Drive peer's lines. */
const driveId = (text: string, name: string) => new RegExp(`${name}.*?([\\w-]{25,})`).exec(text)?.[1] ?? ''

/** Id of the file at a path. The Drive peer reads no paths, so an agent lists each folder on the way. */
async function walk(call: Call, file: string): Promise<string> {
  let folderId = 'root'
  for (const name of file.split('/').filter((part) => part !== '')) {
    const { text } = await call('listFolder', { folderId, pageSize: 100 })
    folderId = driveId(text, name)
  }
  return folderId
}

const piotr: Candidate = {
  ...peer('@piotr-agier/google-drive-mcp'),
  vendor: 'Google Drive',
  work: {
    'read a file by its path': async (call, { path: file }) => call('readTextFile', { fileId: await walk(call, file) }),
    'find 20 files': (call) => call('search', { query: "name contains 'report'", rawQuery: true, pageSize: 20 }),
    'list 50 files of a folder by its path': async (call, { folder }) =>
      call('listFolder', { folderId: await walk(call, folder), pageSize: 50 }),
    'upload 1 MiB': (call, { localFile, folder }) =>
      call('uploadFile', { localPath: localFile, name: `${newTitle()}.bin`, parentFolderId: folder }),
    'create a folder': (call, { folder }) => call('createFolder', { name: newTitle(), parent: folder }),
    'download 1 MiB': (call, world) => downloadToFile(call, world.recordings['1 MiB'], world),
    'download 64 MiB': (call, world) => downloadToFile(call, world.recordings['64 MiB'], world),
  },
}

export const candidates: readonly Candidate[] = [linearServer, tacticlaunch, dvcrn, driveServer, piotr]

/** True for names of our own servers. */
export const isOurs = (name: string): boolean => servers.some((server) => server.name === name)

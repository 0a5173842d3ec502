import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { member } from '@mcp-toolkits/core/base'
import { killSeed as seed } from '../exactly-once/installation.ts'
import { drive } from '../../packages/testing/src/vendors/drive.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { send, type Outcome } from '../../packages/testing/src/cluster/client.ts'
import { modern, parseMessageBody } from '../../packages/testing/src/processes/protocol.ts'
import { openCluster, type Cluster } from '../../packages/testing/src/cluster/cluster.ts'
import { startDatabase } from './database.ts'

const postgres = startDatabase()

/** Maximum time, in milliseconds, that three servers take to start on a busy machine. */
const startMs = 180_000

/** One vendor's cluster for all tests. */
function shared(vendor: typeof drive): () => Cluster {
  let cluster: Cluster | undefined
  beforeAll(async () => {
    cluster = await openCluster({ vendor, databaseUrl: postgres().pooledUrl, seed })
  }, startMs)
  afterAll(() => cluster?.[Symbol.asyncDispose]())
  return () => {
    if (!cluster) throw new Error('The cluster runs during tests only.')
    return cluster
  }
}
const [files, issues] = [shared(drive), shared(linear)]

/** Makes a call on one replica, bypassing the balancer. */
async function callOn({ replicas }: Cluster, index: number, name: string, args: Record<string, unknown>): Promise<Outcome> {
  return send(replicas[index]?.url ?? '', { name, args })
}

function dataOf(outcome: Outcome): Readonly<Record<string, unknown>> {
  if (outcome.kind !== 'result') throw new Error(JSON.stringify(outcome))
  return outcome.data
}

describe('what one replica begins goes on at another', { timeout: 120_000 }, () => {
  test('a folder that was just created is found by its path', async () => {
    const cluster = files()
    const parent = { folder_name: 'Plans', parent_folder_path_or_id: 'Team' }
    dataOf(await callOn(cluster, 0, 'FileStorage_CreateFolder', parent))
    const child = { folder_name: 'Today', parent_folder_path_or_id: 'Team/Plans' }
    dataOf(await callOn(cluster, 1, 'FileStorage_CreateFolder', child))
  })

  test('a download goes on, and notices that the content has changed', async () => {
    const cluster = files()
    const upload = { file_name: 'Large.bin', source_url: cluster.source.large, destination_folder_path_or_id: 'Team' }
    const uploaded = dataOf(await callOn(cluster, 0, 'FileStorage_UploadFile', upload))
    const id = String(member(member(uploaded, 'file'), 'id'))
    const chunk = (start: number) => ({ file_path_or_id: id, start_byte: start, chunk_size: 1_000_000 })
    dataOf(await callOn(cluster, 0, 'FileStorage_DownloadFileChunk', chunk(0)))
    dataOf(await callOn(cluster, 1, 'FileStorage_DownloadFileChunk', chunk(1_000_000)))
    const { accessToken } = cluster.vendor.options
    const replaced = await cluster.vendor.fetch(`http://localhost/upload/drive/v3/files/${id}?uploadType=media`, {
      method: 'PATCH',
      headers: { authorization: `Bearer ${String(accessToken)}`, 'content-type': 'application/octet-stream' },
      body: Buffer.alloc(9 * 1024 * 1024, 'Other content.\n'),
    })
    expect(replaced.status).toBe(200)
    const outcome = await callOn(cluster, 2, 'FileStorage_DownloadFileChunk', chunk(2_000_000))
    expect(outcome.kind === 'error' ? outcome.text : '').toContain('changed')
  })

  test('a link to content that one replica has made leads to it at each', async () => {
    const cluster = files()
    const { headers, body } = modern('1', 'tools/call', {
      name: 'FileStorage_DownloadFile',
      arguments: { file_path_or_id: 'Team/Working agreement.md' },
      _meta: { 'mcp-toolkits/content': 'file' },
    })
    const answer = await (
      await fetch(cluster.replicas[0]?.url ?? '', { method: 'POST', headers, ...(body !== undefined && { body }) })
    ).text()
    const data = member(parseMessageBody(answer).result, 'structuredContent')
    const { pathname } = new URL(String(member(data, 'download_url')))
    const read = async ({ url }: Cluster['replicas'][number]) => (await fetch(new URL(pathname, url))).text()
    expect(new Set(await Promise.all(cluster.replicas.map(read)))).toEqual(new Set([member(data, 'text')]))
  })

  test('a question to a person is answered', async () => {
    const cluster = issues()
    const ids = await createTwins(cluster)
    const client = new Client(
      { name: 'e2e', version: '1' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    )
    client.setRequestHandler('elicitation/create', () => ({ action: 'accept', content: { value: ids[1] ?? '' } }))
    await client.connect(new StreamableHTTPClientTransport(new URL(cluster.url)))
    // The balancer sends each request to the next replica.
    const result = await client.callTool({ name: 'IssueTracker_GetProject', arguments: { value: 'Moon Landing', lookup_by: 'name' } })
    expect(JSON.stringify(result.structuredContent)).toContain(ids[1])
    await client.close()
  })
})

test('100 equal relations at once over three replicas make one', { timeout: 120_000 }, async () => {
  const cluster = issues()
  const relations = async () => (await cluster.vendor.state()).filter((line) => line.startsWith('relations ')).length
  const before = await relations()
  const relation = { name: 'IssueTracker_CreateIssueRelation', args: { issue: 'ENG-4', related_issue: 'ENG-1', relation_type: 'blocks' } }
  const outcomes = await Promise.all(Array.from({ length: 100 }, () => send(cluster.url, relation)))
  expect(outcomes.filter(({ kind }) => kind !== 'result')).toEqual([])
  expect(await relations()).toBe(before + 1)
})

/** Creates two projects with the same name, and returns their ids. */
async function createTwins({ vendor }: Cluster): Promise<readonly string[]> {
  const ask = async (query: string) => {
    const headers = { authorization: String(vendor.options['apiKey']), 'content-type': 'application/json' }
    const response = await vendor.fetch('http://localhost/graphql', { method: 'POST', headers, body: JSON.stringify({ query }) })
    return response.text()
  }
  const uuid = /[0-9a-f]{8}-[0-9a-f-]{27}/
  const team = uuid.exec(await ask('{ teams(first: 1) { nodes { id } } }'))?.[0] ?? ''
  const create = `mutation { projectCreate(input: { name: "Moon Landing", teamIds: ["${team}"] }) { project { id } } }`
  return [await ask(create), await ask(create)].map((text) => uuid.exec(text)?.[0] ?? '')
}

import { createServer } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { callsOfKind } from '../../packages/server/src/mcp/calls/call-limiter.ts'
import { listenOnLoopback } from '../../packages/testing/src/processes/loopback.ts'
import { legacy, modern } from '../../packages/testing/src/processes/protocol.ts'
import { send } from '../../packages/testing/src/cluster/client.ts'
import { openCompany, peopleOf } from '../../packages/testing/src/company/company.ts'
import { connectEveryone } from '../../packages/testing/src/company/connecting.ts'
import { storing } from '../../packages/testing/src/company/work.ts'

const people = peopleOf(20)
const [reader, ...uploaders] = people

/** The maximum number that one person may have in flight. */
const uploadsOfOne = callsOfKind.long
const uploads = uploaders.length * uploadsOfOne

/** Content that never ends, with one piece every second: fast enough that an upload does not give up. */
const source = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'application/octet-stream' })
  const timer = setInterval(() => response.write(Buffer.alloc(2_048)), 1_000)
  response.on('close', () => {
    clearInterval(timer)
  })
})

/** Begins a request and does not finish it. */
async function stall(url: URL, index: number): Promise<Socket> {
  const { promise, resolve, reject } = Promise.withResolvers<Socket>()
  const socket = connect(Number(url.port), url.hostname, () => {
    if (index % 3 > 0) socket.write(`POST /mcp HTTP/1.1\r\nhost: ${url.host}\r\n`)
    if (index % 3 > 1) socket.write('content-type: application/json\r\ncontent-length: 100\r\n\r\n{')
    resolve(socket)
  })
  socket.once('error', reject).on('error', () => undefined)
  return promise
}

test(`beside ${uploads} uploads that drip and 1,000 requests that never arrive, each request of another person is answered in two seconds`, async () => {
  if (!reader) throw new Error('There is one person.')
  await using slow = await listenOnLoopback(source)
  await using company = await openCompany({ ...storing, people, args: ['--allow-private-urls', new URL(slow.url).host] })
  await connectEveryone(company, storing.whoAmI)
  let [connections, ended] = [0, 0]
  source.on('request', () => (connections += 1))
  for (const person of uploaders) {
    const token = company.tokenOf(person)
    for (let index = 0; index < uploadsOfOne; index += 1) {
      const args = { file_name: `${index}.bin`, source_url: `${slow.url}/${person.subject}/${index}` }
      void send(company.url, { name: 'FileStorage_UploadFile', args, token }).then(() => (ended += 1))
    }
  }
  const url = new URL(company.url)
  const sockets = await Promise.all(Array.from({ length: 1_000 }, (_, index) => stall(url, index)))
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  await expect.poll(() => connections).toBe(uploads)
  const authorization = `Bearer ${company.tokenOf(reader)}`
  const read = { name: 'FileStorage_SearchFiles', arguments: { query: 'report' } }
  for (const [method, params] of [
    ['ping', {}],
    ['tools/list', {}],
    ['tools/call', read],
    ['tools/call', { name: 'FileStorage_GetFileTreeStructure', arguments: { limit: 20 } }],
  ] as const) {
    const { headers, body } = method === 'ping' ? legacy(1, method) : modern(1, method, params)
    const answer = await fetch(url, {
      method: 'POST',
      headers: { ...headers, authorization },
      ...(body !== undefined && { body }),
      signal: AbortSignal.timeout(2_000),
    })
    const text = await answer.text()
    expect([method, answer.status, text]).toEqual([method, 200, expect.stringContaining('"result"')])
    expect(text).not.toContain('"isError":true')
  }
  // All uploads are still in progress.
  expect(ended).toBe(0)
})

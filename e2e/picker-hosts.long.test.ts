import path from 'node:path'
import { expect, test } from 'vitest'
import { parseMessageBody, modern } from '../packages/testing/src/processes/protocol.ts'
import { startHttp } from './http-process.ts'

const main = path.join(import.meta.dirname, '..', 'apps', 'file-storage', 'dist', 'main.js')
const picker = { name: 'FileStorage_GenerateFilePickerUrl', arguments: {} }

const token = 'e2e-token-0123456789-0123456789-0123'
const onThisMachine: unknown = expect.stringMatching(/^http:\/\/127\.0\.0\.1:/)

test.for([
  ['is offered to clients on this machine', [], {}, onThisMachine],
  ['is not offered when the server has another host name', ['--allowed-hosts', 'files.example'], { MCP_TOOLKITS_HTTP_TOKEN: token }, null],
] as const)('the page of the file picker %s', async ([, args, environment, url]) => {
  await using server = await startHttp({ main, args: ['--embedded', ...args], environment })
  const { headers, ...request } = modern(1, 'tools/call', picker)
  const { body } = await server.sendRequest({ ...request, headers: { ...headers, authorization: `Bearer ${token}` } })
  expect(parseMessageBody(body).result).toMatchObject({ structuredContent: { url } })
})

import path from 'node:path'
import { expect, test } from 'vitest'
import { parseMessageBody, modern } from '../packages/testing/src/processes/protocol.ts'
import { startHttp } from './http-process.ts'

const main = path.join(import.meta.dirname, '..', 'apps', 'file-storage', 'dist', 'main.js')
const picker = { name: 'FileStorage_GenerateFilePickerUrl', arguments: {} }

const onThisMachine: unknown = expect.stringMatching(/^http:\/\/127\.0\.0\.1:/)

test.for([
  ['is offered to clients on this machine', [], onThisMachine],
  ['is not offered when the server has another host name', ['--allowed-hosts', 'files.example'], null],
] as const)('the page of the file picker %s', async ([, args, url]) => {
  await using server = await startHttp({ main, args: ['--embedded', ...args] })
  const { body } = await server.sendRequest(modern(1, 'tools/call', picker))
  expect(parseMessageBody(body).result).toMatchObject({ structuredContent: { url } })
})

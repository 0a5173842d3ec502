import path from 'node:path'
import { expect, test } from 'vitest'
import { messageIn, modern } from './protocol.ts'
import { serve } from './serving.ts'

const main = path.join(import.meta.dirname, '..', 'apps', 'file-storage', 'dist', 'main.js')
const picker = { name: 'FileStorage_GenerateFilePickerUrl', arguments: {} }

const onThisMachine: unknown = expect.stringMatching(/^http:\/\/127\.0\.0\.1:/)

test.for([
  ['is offered to clients of this machine', [], onThisMachine],
  ['is not offered where the server is known by another name', ['--allowed-hosts', 'files.example'], null],
] as const)('the page of the file picker %s', async ([, args, url]) => {
  await using server = await serve({ main, args: ['--embedded', ...args] })
  const { body } = await server.ask(modern(1, 'tools/call', picker))
  expect(messageIn(body).result).toMatchObject({ structuredContent: { url } })
})

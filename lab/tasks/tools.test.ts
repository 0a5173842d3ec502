// Tools with names or results that an endpoint would not accept, and a server that ends.
import { Client, InMemoryTransport } from '@modelcontextprotocol/client'
import { McpServer } from '@modelcontextprotocol/server'
import { expect, onTestFinished, test } from 'vitest'
import { givenServer } from './servers.ts'
import { openToolbox } from './tools.ts'

type Content = Awaited<ReturnType<Client['callTool']>>['content']

/** A client of a server with these tools, each of which answers with its name, or with a given content. */
async function clientOf(names: readonly string[], contentOf: (name: string) => Content = (name) => [{ type: 'text', text: name }]) {
  const server = new McpServer({ name: 'any', version: '1' })
  for (const name of names) server.registerTool(name, {}, () => ({ content: contentOf(name) }))
  const client = new Client({ name: 'test', version: '1' })
  const [near, far] = InMemoryTransport.createLinkedPair()
  await server.connect(far)
  await client.connect(near)
  onTestFinished(() => client.close())
  return { client, server }
}

test('every tool has a name of its own that endpoints take, and is called by its own', async () => {
  const long = 'a'.repeat(70)
  const one = await clientOf(['find', 'files.list', 'files_list', long, `${long}b`])
  const other = await clientOf(['find'], () => [{ type: 'text', text: 'the other' }])
  const { tools, call } = await openToolbox([one.client, other.client])
  const names = tools.map(({ name }) => name)
  expect(names).toEqual(['find', 'files_list', 'files_list_2', 'a'.repeat(64), `${'a'.repeat(62)}_2`, 'find_2'])
  const texts = await Promise.all(names.map(async (name) => (await call(name, {})).text))
  expect(texts).toEqual(['find', 'files.list', 'files_list', long, `${long}b`, 'the other'])
})

test('a model reads the text of a resource, and the address of a link', async () => {
  const { client } = await clientOf(['read'], () => [
    { type: 'resource', resource: { uri: 'file:///rye', mimeType: 'text/plain', text: 'Rye bread' } },
    { type: 'resource_link', uri: 'file:///oats', name: 'Oats' },
    { type: 'resource', resource: { uri: 'file:///loaf', blob: 'AAAA' } },
    { type: 'image', data: 'AAAA', mimeType: 'image/png' },
  ])
  const { call } = await openToolbox([client])
  expect((await call('read', {})).text).toBe('Rye bread\nOats: file:///oats\n[resource file:///loaf]\n[image]')
})

test('a call to a server that has ended throws, and a call to no tool is an error for the model', async () => {
  const { client, server } = await clientOf(['find'])
  const { call } = await openToolbox([client])
  expect(await call('lose', {})).toMatchObject({ isError: true, text: 'There is no tool "lose".' })
  await server.close()
  await expect(call('find', {})).rejects.toThrow('The server has ended.')
})

test('a server that is downloaded first is not redirected', () => {
  const options = { env: [], preload: '/preload.js' }
  expect(() => givenServer('linear=npx -y some-server', options)).toThrow(
    '--redirect would also redirect what npx downloads. Install the server, and give "linear=node FILE".',
  )
  expect(givenServer('linear=npx -y some-server', { ...options, preload: undefined })).toMatchObject({ linear: { command: 'npx' } })
  expect(givenServer('linear=node main.js', options)).toMatchObject({ linear: { args: ['main.js'] } })
})

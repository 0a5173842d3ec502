import { expect, it } from 'vitest'
import { connectClient, routes } from './elicitation/test/client.ts'

it.each([
  ['a slip of the pen', {}, 'Post_SendLeter', 'Closest: Post_SendLetter.'],
  ['the name without its prefix', {}, 'SendLetter', 'Closest: Post_SendLetter.'],
  ['a tool that --read-only leaves out', { readOnly: true }, 'Post_SendLetter', 'It writes, and this server was started with --read-only.'],
  [
    'a tool that --tools leaves out',
    { tools: ['Hesitate'] },
    'Post.SendLetter',
    'This server was started with --tools, which leaves it out.',
  ],
] as const)('explains %s', async (...[, settings, name, told]) => {
  await using at = await connectClient(routes.modernStdio, { settings })
  await expect(at.client.callTool({ name, arguments: {} })).rejects.toThrow(`Unknown tool: ${name}. ${told}`)
})

it('suggests nothing for a name unlike any other', async () => {
  await using at = await connectClient(routes.modernStdio)
  await expect(at.client.callTool({ name: 'Post_Nope', arguments: {} })).rejects.toThrow(/Unknown tool: Post_Nope$/)
})

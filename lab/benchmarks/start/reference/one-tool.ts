import { McpServer } from '@modelcontextprotocol/server'
import { serveStdio } from '@modelcontextprotocol/server/stdio'
import * as z from 'zod'

serveStdio(() => {
  const server = new McpServer({ name: 'one-tool', version: '1.0.0' }, { capabilities: { tools: { listChanged: false } } })
  server.registerTool(
    'echo',
    {
      title: 'Echo',
      description: 'Repeats a text.',
      inputSchema: z.strictObject({ text: z.string().describe('What to repeat.') }),
      outputSchema: z.object({ text: z.string() }),
      annotations: { readOnlyHint: true },
    },
    ({ text }) => ({ content: [{ type: 'text', text }], structuredContent: { text } }),
  )
  return server
})

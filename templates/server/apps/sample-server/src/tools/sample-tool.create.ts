import * as z from 'zod'
import { defineTool } from '../context.ts'

export const sampleTool = defineTool({
  name: 'SampleTool',
  title: 'Create an item',
  description: 'To do: say what the tool does, when to use it, and which tool to use instead.',
  effect: 'create',
  scopes: [],
  input: z.strictObject({ name: z.string().min(1).max(1_000).describe('Name of the item.') }),
  output: z.object({ id: z.string() }),
  example: { name: 'Sample' },
  run: (body, { request }, { scope }) => request({ path: 'items', body }, z.object({ id: z.string() }), scope),
})

import * as z from 'zod'
import { defineTool } from '../context.ts'

const Item = z.object({ id: z.string(), name: z.string() })

export const sampleTool = defineTool({
  name: 'SampleTool',
  title: 'Show an item',
  description: 'To do: say what the tool does, when to use it, and which tool to use instead.',
  effect: 'read',
  scopes: [],
  input: z.strictObject({ id: z.string().min(1).max(100).describe('Id of the item.') }),
  output: Item,
  example: { id: 'i1' },
  run: ({ id }, { request }, { scope }) => request({ path: `items/${encodeURIComponent(id)}` }, Item, scope),
})

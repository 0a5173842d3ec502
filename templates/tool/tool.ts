import * as z from 'zod'
import { defineTool } from '../context.ts'

export const sampleTool = defineTool({
  name: 'SampleTool',
  title: 'Say what it does, in a few words',
  description: 'Say what the tool does and when to use it, so that a model can choose it.',
  effect: 'read',
  scopes: [],
  input: z.strictObject({}),
  output: z.object({ done: z.boolean() }),
  run: () => Promise.resolve({ done: true }),
})

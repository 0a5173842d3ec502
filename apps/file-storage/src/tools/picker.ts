import { withUrlElicitation } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { offerPage } from '../picker/instructions.ts'

export const generateFilePickerUrl = defineTool({
  name: 'GenerateFilePickerUrl',
  aliases: ['GenerateGoogleFilePickerUrl'],
  title: 'Let the user choose files',
  description:
    'Get a file picker link (URL) where the user selects or uploads files to give this app access. Use it after a not found or permission denied error: show url to the user, wait until they are done, then repeat the failed call.',
  // The call itself changes nothing at Google; only the person does, on the page.
  effect: 'read',
  scopes: [],
  input: z.strictObject({}),
  output: z.object({
    url: z.string().nullable().describe('Null if choosing files would not help: see how_to_retry.'),
    expires_at: z.string().nullable(),
    flow: z.enum(['oauth', 'embedded']),
    how_to_retry: z.string(),
  }),
  example: {},
  async run(_args, { picker }) {
    const { result, visit } = await offerPage(picker)
    return visit ? withUrlElicitation(result, visit) : result
  },
})

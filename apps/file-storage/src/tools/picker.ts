import { withVisit } from '@mcp-toolkits/core'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import type { PickerPage } from '../file-picker.ts'

export const generateFilePickerUrl = defineTool({
  name: 'GenerateFilePickerUrl',
  title: 'Let the person choose files',
  description:
    'An address where the person selects or uploads files, and so lets this server use them. Use it after a call failed because a file does not exist or is not permitted: show url to the person, wait until they say that they are done, and make that call again unchanged. Calling this tool selects and changes nothing.',
  // Nothing is made at Google by the call itself, and it can be made again: what follows is the person's own act.
  effect: 'read',
  scopes: [],
  input: z.strictObject({}),
  output: z.object({
    url: z
      .string()
      .nullable()
      .describe('For a browser on the machine where this server runs. Null where selecting files would change nothing.'),
    expires_at: z.string().nullable().describe('Until when it can be used.'),
    flow: z.enum(['oauth', 'embedded']).describe("Google's own pages, or the page of the embedded default."),
    how_to_retry: z.string(),
  }),
  async run(_args, { picker }) {
    const page = await picker.open()
    const { url, expiresAt, flow } = page
    const expires = expiresAt === null ? null : new Date(expiresAt).toISOString()
    const shown = { url, expires_at: expires, flow, how_to_retry: howToRetry(page) }
    // A page that changes nothing is not worth anybody's attention.
    return url === null || page.reachesAll !== undefined ? shown : withVisit(shown, { url, message: messageOf(flow) })
  },
})

/** What a client shows its person before they open the page. */
function messageOf(flow: PickerPage['flow']): string {
  const where = flow === 'oauth' ? 'a page of Google' : 'a page of this machine'
  return `Choose the files that the File Storage server may use, or upload some: on ${where}.`
}

function howToRetry({ flow, reachesAll }: PickerPage): string {
  if (flow === 'embedded' && reachesAll !== undefined) {
    return `The embedded default reaches every file already (scope ${reachesAll}), so nothing has to be selected: check the path or the id. The page is of use to upload files from this machine; after that make the call again unchanged.`
  }
  if (reachesAll === 'drive.readonly') {
    return 'The picker cannot help: this login reads every file already (scope drive.readonly), and may change none. If a file was not found, check the path, the id and shared_drive_id. To change files, ask the person to run "file-storage-mcp login --scopes drive.file,drive.readonly,userinfo.profile,userinfo.email", and call this tool again.'
  }
  if (reachesAll !== undefined) {
    return `The picker cannot help: this login reaches every file already (scope ${reachesAll}). Check the path, the id and shared_drive_id; what is not permitted, the owner of the file has to share.`
  }
  return 'Show url to the person, and wait until they say that they are done. Then make the call that failed again, unchanged; no restart is needed. A folder that is selected is granted without what is in it already: for that the files have to be selected themselves.'
}

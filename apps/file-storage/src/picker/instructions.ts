import type { UrlElicitation } from '@mcp-toolkits/core/tool'
import type { FilePicker, NoPickerPage, PickerPage } from './file-picker.ts'

/** A picker page, as shown by tools. */
interface ShownPage {
  readonly url: string | null
  readonly expires_at: string | null
  readonly flow: PickerPage['flow']
  readonly how_to_retry: string
}

/** An open page, and the request for the person to visit it. */
export interface OfferedPage {
  readonly result: ShownPage
  readonly visit?: UrlElicitation
}

/** Opens a picker page. The person is not asked to visit a page that would change nothing. */
export async function offerPage(picker: FilePicker): Promise<OfferedPage> {
  const page = await picker.open()
  const { url, expiresAt, flow } = page
  const expires = expiresAt === null ? null : new Date(expiresAt).toISOString()
  const result = { url, expires_at: expires, flow, how_to_retry: howToRetry(page) }
  return url === null || page.reachesAll !== undefined ? { result } : { result, visit: { url, message: messageOf(flow) } }
}

/** Message that a client shows the person before they open the page. */
function messageOf(flow: PickerPage['flow']): string {
  const where = flow === 'oauth' ? 'a Google page' : 'a page on this machine'
  return `Choose the files that the File Storage server may use, or upload some: on ${where}.`
}

function howToRetry(page: PickerPage): string {
  const { reachesAll } = page
  if (page.url === null) return explainWithoutPage(page)
  if (reachesAll !== undefined) {
    return `${nothingToSelect(reachesAll)} The page can still upload files from this machine; after that, retry the call unchanged.`
  }
  const show = 'Show url to the person, and wait until they say that they are done. Then retry the failed call unchanged'
  const folders = 'Selecting a folder does not include the files in it; select them one by one.'
  return `${show}; no restart is needed. ${folders}`
}

function explainWithoutPage({ flow, reachesAll, command }: NoPickerPage): string {
  if (reachesAll === undefined && command !== undefined) {
    return `No page can be opened: this server serves other machines, and its pages open only in a browser on its own machine. Ask the person to have "${command}" run in a terminal on that machine, and to choose the files there; then retry the failed call unchanged. No restart is needed.`
  }
  if (flow === 'embedded' && reachesAll !== undefined) return nothingToSelect(reachesAll)
  if (reachesAll === 'drive.readonly') {
    const widen =
      command === undefined
        ? 'To change files, make the call that changes them: its error has the URL of a page where the person can allow it.'
        : `To change files, ask the person to run "${command}", and call this tool again.`
    return `The picker cannot help: this login can already read every file (drive.readonly scope), but may not change any. If a file was not found, check the path, the id and shared_drive_id. ${widen}`
  }
  return `The picker cannot help: this login can already reach every file (${reachesAll} scope). Check the path, the id and shared_drive_id; if permission is missing, the owner must share the file.`
}

const nothingToSelect = (scope: string) =>
  `The local emulator can already access every file (${scope} scope), so nothing needs to be selected: check the path or the id.`

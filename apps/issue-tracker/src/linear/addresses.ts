import { InvalidInput } from '@mcp-toolkits/core'
import * as z from 'zod'
import type { LinearClient } from './client.ts'
import { operation } from './operation.ts'
import { quoted, workspaceIn } from './references.ts'

/** The workspace that the credentials are for, as it stands in the addresses of its pages. */
export const workspace = operation()(
  'query Workspace { organization { urlKey } }',
  z.object({ organization: z.object({ url_key: z.string() }) }),
)

/** The parameters that can hold the address of a page. */
const addressed = ['issue', 'issue_id', 'related_issue', 'parent_issue', 'project', 'project_id', 'initiative', 'initiative_id'] as const

/**
 * Throws `InvalidInput` when an argument is the address of a page in another workspace: an identifier such as ENG-12 stands in many.
 * Costs one request where an argument is an address, none otherwise.
 */
export async function refuseForeignPages(
  linear: LinearClient,
  args: Partial<Readonly<Record<(typeof addressed)[number], unknown>>>,
  signal: AbortSignal,
): Promise<void> {
  const given = addressed.map((parameter) => args[parameter]).filter((one) => typeof one === 'string')
  const addresses = given.filter((one) => workspaceIn(one) !== undefined)
  if (addresses.length === 0) return
  const { organization } = await linear.run(workspace, {}, signal)
  for (const address of addresses) refuseForeign(address, organization.url_key)
}

/** Throws `InvalidInput` when `given` is the address of a page in another workspace than the one whose page is at `url`. */
export function refuseForeignPage(given: string, url: string): void {
  const own = workspaceIn(url)
  if (own !== undefined) refuseForeign(given, own)
}

function refuseForeign(given: string, own: string): void {
  const wanted = workspaceIn(given)
  if (wanted === undefined || wanted === own.toLowerCase()) return
  throw new InvalidInput(
    `${quoted(given)} is a page of the workspace ${quoted(wanted)}, and this server is connected to "${own}". Name something of "${own}", or let the person connect the other workspace.`,
    { next: { command: 'issue-tracker-mcp status' } },
  )
}

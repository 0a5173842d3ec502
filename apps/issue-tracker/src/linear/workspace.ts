import { InvalidInput } from '@mcp-toolkits/core'
import { quote } from '@mcp-toolkits/core/text'
import * as z from 'zod'
import type { LinearCall } from './client.ts'
import { nodes, query } from './document.ts'
import { Person, Timestamp } from './records.ts'

/** Whom the credentials are for: person, organization and teams in one request. */
export const whoAmI = query(
  'WhoAmI',
  {},
  {
    viewer: Person.extend({
      email: z.string(),
      active: z.boolean(),
      admin: z.boolean(),
      guest: z.boolean(),
      app: z.boolean(),
      timezone: z.string().nullish(),
      url: z.string(),
      organization: z.object({ id: z.string(), name: z.string(), url_key: z.string() }),
      teams: nodes(
        'teams(first: 50)',
        z.object({
          id: z.string(),
          key: z.string(),
          name: z.string(),
          description: z.string().nullish(),
          archived_at: Timestamp,
        }),
      ),
      has_more_teams: z.boolean(),
    }),
  },
)

/** The workspace that the credentials are for, as the URLs of its pages name it. */
export const workspace = query('Workspace', {}, { organization: z.object({ url_key: z.string() }) })

/** The workspace of a page of Linear; undefined for a text that is not the URL of one. */
export function workspaceIn(text: string): string | undefined {
  return /^\s*(?:https?:\/\/)?linear\.app\/([^/?#\s]+)/i.exec(text)?.[1]?.toLowerCase()
}

/** The parameters that may be the URL of a page. */
const pageParameters = [
  'issue',
  'issue_id',
  'related_issue',
  'parent_issue',
  'project',
  'project_id',
  'initiative',
  'initiative_id',
] as const

/**
 * Throws `InvalidInput` when an argument is a page of another workspace: an identifier such as ENG-12 exists in many. Costs one
 * request where an argument is a page, none otherwise.
 */
export async function refuseForeignPages(
  linear: LinearCall,
  args: Partial<Readonly<Record<(typeof pageParameters)[number], unknown>>>,
): Promise<void> {
  const texts = pageParameters.map((parameter) => args[parameter]).filter((value) => typeof value === 'string')
  const pages = texts.filter((text) => workspaceIn(text) !== undefined)
  if (pages.length === 0) return
  const { organization } = await linear.run(workspace, {})
  for (const page of pages) refuseOther(page, organization.url_key)
}

/** Throws `InvalidInput` when a reference is a page of another workspace than the page at `url`. */
export function refuseForeignPage(reference: string, url: string): void {
  const ours = workspaceIn(url)
  if (ours !== undefined) refuseOther(reference, ours)
}

function refuseOther(reference: string, ours: string): void {
  const other = workspaceIn(reference)
  if (other === undefined || other === ours.toLowerCase()) return
  throw new InvalidInput(
    `${quote(reference, 80)} is a page of the workspace ${quote(other, 80)}, and this server is connected to "${ours}". Name something of "${ours}", or let the person connect the other workspace.`,
    { next: { command: 'issue-tracker-mcp status' } },
  )
}

import type { AccountInfo } from '@mcp-toolkits/server/account'
import { InvalidInput, quote } from '@mcp-toolkits/core/errors'
import { withCallScope } from '@mcp-toolkits/core/tool'
import type { Fetch } from '@mcp-toolkits/core/upstream'
import { type LinearCall, linearClient } from './client.ts'
import { nodes, query } from './document.ts'
import { Flag, PageUrl, Person, Text, Timestamp } from './records.ts'
import { pageIn, plainReading } from './references.ts'
import * as z from 'zod'

/** The person behind the credentials, with organization and teams. */
export const whoAmI = query(
  'WhoAmI',
  {},
  {
    viewer: Person.extend({
      display_name: Text.optional(),
      admin: Flag,
      guest: Flag,
      app: Flag,
      timezone: Text.optional(),
      url: PageUrl,
      organization: z.object({ id: Text, name: Text, url_key: Text }),
      teams: nodes('teams(first: 50)', z.object({ key: Text, name: Text, archived_at: Timestamp })).default([]),
      has_more_teams: Flag,
    }),
  },
)

/** The workspace of the credentials, as it appears in URLs. */
export const workspace = query('Workspace', {}, { organization: z.object({ url_key: Text }), viewer: z.object({ url: PageUrl }) })

/** The workspace in a Linear page's URL; undefined for any other text. */
export function workspaceIn(text: string): string | undefined {
  return pageIn(plainReading(text))?.workspace
}

/** Parameters that may be a page's URL. */
export const pageParameters = [
  'team',
  'value',
  'assignee',
  'lead',
  'cycle',
  'cycle_id',
  'comment_id',
  'parent_comment_id',
  'issue',
  'issue_id',
  'related_issue',
  'parent_issue',
  'project',
  'project_id',
  'milestone_id',
  'document',
  'initiative',
  'initiative_id',
] as const

/**
 * Throws `InvalidInput` if an argument is the URL of a page in a different workspace: many workspaces have an issue ENG-12. Costs one
 * request if an argument is a page's URL, unless that argument names the record to read: then the record's own URL names the workspace.
 */
export async function requireOwnWorkspace(
  linear: LinearCall,
  args: Partial<Readonly<Record<(typeof pageParameters)[number], unknown>>>,
  isRead: (parameter: string) => boolean = () => false,
): Promise<void> {
  const pages = pageParameters.flatMap((parameter) => {
    const text = args[parameter]
    const page = typeof text === 'string' ? pageIn(plainReading(text)) : undefined
    const isExempt = isRead(parameter) && page?.kind !== 'team' && page?.kind !== 'profiles'
    return typeof text === 'string' && page && !isExempt ? [text] : []
  })
  if (pages.length === 0) return
  const { organization, viewer } = await linear.send(workspace, {})
  // The built-in emulator's workspace has a name like any other, but its pages' URLs do not contain that name.
  const ours = workspaceIn(viewer.url ?? '')
  for (const page of pages) if (ours === undefined || workspaceIn(page) !== ours) requireWorkspace(page, organization.url_key)
}

/** Throws `InvalidInput` if a reference is the URL of a page in a different workspace from the record's `url`, which may be absent. */
export async function requireSameWorkspace(linear: LinearCall, reference: string, url: string | undefined): Promise<void> {
  const other = workspaceIn(reference)
  if (other === undefined || other === workspaceIn(url ?? '')) return
  requireWorkspace(reference, (await linear.send(workspace, {})).organization.url_key)
}

function requireWorkspace(reference: string, ours: string): void {
  const other = workspaceIn(reference)
  if (other === undefined || other === ours.toLowerCase()) return
  const page = pageIn(plainReading(reference))
  const issue = page?.kind === 'issue' ? ` For ${quote(page.reference, 80)} of ${quote(ours)}, pass that alone.` : ''
  throw new InvalidInput(
    `${quote(reference, 80)} is a page of the workspace ${quote(other, 80)}, and this server is connected to ${quote(ours)}. Name something in ${quote(ours)}, or let the person connect the other workspace.${issue}`,
    { next: { command: 'issue-tracker-mcp status' } },
  )
}

/** The account behind the credentials that `fetch` adds. */
export async function whoAmIAt(api: { readonly fetch: Fetch; readonly url: string }, signal: AbortSignal): Promise<AccountInfo> {
  const { viewer } = await withCallScope({ signal }, (scope) => linearClient(api).forCall(scope).send(whoAmI, {}))
  return { account: `${viewer.name} <${viewer.email}>`, workspace: viewer.organization.name }
}

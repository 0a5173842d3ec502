import type * as z from 'zod'
import type { IssueRef } from '../linear/records.ts'

type Issue = z.output<typeof IssueRef>
type Outgoing = readonly { readonly type: string; readonly related_issue: Issue }[]
type Incoming = readonly { readonly type: string; readonly issue: Issue }[]

/** Relations as an issue sees them. Linear stores `blocks` and `duplicate` on one side only; the other side reads them in reverse. */
export function relationsOf(outgoing: Outgoing, incoming: Incoming, hasMore: boolean) {
  const to = (type: string) => outgoing.filter((relation) => relation.type === type).map((relation) => relation.related_issue)
  const from = (type: string) => incoming.filter((relation) => relation.type === type).map((relation) => relation.issue)
  return {
    blocks: to('blocks'),
    blocked_by: from('blocks'),
    duplicate_of: to('duplicate'),
    duplicated_by: from('duplicate'),
    related: [...to('related'), ...from('related')],
    has_more: hasMore,
  }
}

import * as z from 'zod'
import { defineTool } from '../context.ts'
import { archiveIssue as archive } from '../linear/issue-writes.ts'
import { IssueRef } from '../linear/records.ts'
import { issueNamed } from '../linear/references.ts'
import { issueSought, sought } from '../resolve/sought.ts'
import { issueReference } from './parameters.ts'

export const archiveIssue = defineTool({
  name: 'ArchiveIssue',
  title: 'Archive an issue',
  description:
    'Archive an issue: it leaves all lists and is still found by its identifier. Sub-issues stay as they are. Archiving it again changes nothing; only Linear itself can restore it.',
  effect: 'delete',
  scopes: ['write'],
  input: z.strictObject({ issue: issueReference }),
  output: z.object({ issue: IssueRef.extend({ archived_at: z.string().nullish() }) }),
  async run({ issue: given }, { linear }, { signal }) {
    const id = issueNamed(given)
    const { issue_archive: archived } = await sought(issueSought(id), linear.run(archive, { id }, signal))
    return { issue: archived.entity }
  },
})

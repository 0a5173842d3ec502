import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { findSimilar } from '../../linear/issues/search.ts'
import { Priority } from '../../linear/records.ts'
import { archivedFilterNotice } from '../../resolve/resolver.ts'
import { searchFor } from '../../resolve/search.ts'
import { emptyNotice, keywordsNotice, noticesOf } from '../../tools/notices.ts'
import { day, endCursor, keywords, limit, noticesField, reference, references } from '../../tools/parameters.ts'
import { issuePrinter, IssueRow } from '../../tools/rows.ts'
import { likeness, wordsOf } from './likeness.ts'

const from = day('This day or later.').optional()
const until = day('This day or earlier.').optional()

/** A search's filters, all of which must match. */
const filters = {
  keywords: keywords('Words that must all be in title or description.'),
  team: reference('Name, key or id.').optional(),
  states: references('Any of these: name, type (completed), "open" or "closed".').optional(),
  assignee: reference('Name, email or "@me".').optional(),
  unassigned: z.boolean().optional().describe('true: only issues without an assignee.'),
  creator: reference('Name, email or "@me".').optional(),
  priorities: z.array(Priority).max(5).optional().describe('Any of these.'),
  labels: references('All of these: name or id; group/label for one in a group.').optional(),
  project: reference('Name, slug, id or URL.').optional(),
  milestone: reference('Name or id.').optional(),
  cycle: reference('Name, number, "current" or "next".').optional(),
  parent_issue: reference('Sub-issues of it: ENG-12, id or URL.').optional(),
  ...{ created_after: from, created_before: until, updated_after: from, updated_before: until, due_after: from, due_before: until },
  include_archived: z.boolean().default(false).describe('Include archived issues.'),
  order: z.enum(['created', 'updated']).default('created').describe('What to sort by, newest first.'),
}

/** The next day; undefined after the last representable day. */
const dayAfter = (date: string | undefined) =>
  date === undefined || date === '9999-12-31' ? undefined : new Date(Date.parse(date) + 86_400_000).toISOString().slice(0, 10)

export const searchIssues = defineTool({
  name: 'SearchIssues',
  title: 'Search issues by many filters',
  description: Message.of(
    'Search issues by several states, dates of creation, update or due day, cycle, milestone, parent, creator or labels at once, or find unassigned and archived ones. All filters must match; with order "updated", an issue that changes meanwhile may be missed between pages.',
    sentence`For a simple search, use ${{ tool: 'IssueTracker.ListIssues' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({ ...filters, limit, end_cursor: endCursor }),
  output: z.object({
    issues: z.array(IssueRow.extend({ archived_at: z.string().optional() })),
    pagination: Pagination,
    ...noticesField,
  }),
  example: { states: ['open'], due_before: '2030-01-01', limit: 5 },
  async run({ limit: size, end_cursor: cursor, ...wanted }, { linear, startOf }, { notice }) {
    if (wanted.unassigned === true && wanted.assignee !== undefined) throw new InvalidInput('Pass "unassigned" or "assignee", not both.')
    const { order, include_archived: archived, ...named } = wanted
    const { after, first, result, pagination } = startPaging(['SearchIssues', wanted], { limit: size, end_cursor: cursor })
    const ranges = {
      created: { from: startOf(named.created_after), until: startOf(dayAfter(named.created_before)) },
      updated: { from: startOf(named.updated_after), until: startOf(dayAfter(named.updated_before)) },
      due: { from: named.due_after, until: named.due_before },
    }
    const options = { first, after, archived, order: order === 'created' ? ('createdAt' as const) : ('updatedAt' as const) }
    const page = await searchFor({ linear, notice }, { ...named, ...ranges }, options)
    const print = issuePrinter(page.issues)
    return result({
      issues: page.issues.map((issue) => ({ ...print(issue), ...(issue.archived_at !== undefined && { archived_at: issue.archived_at }) })),
      pagination: pagination(page.has_more_issues, page.issues_end_cursor),
      ...noticesOf(
        emptyNotice('issue', page.issues, { ...named, after }),
        archivedFilterNotice(page.issues, page.team, page.project),
        keywordsNotice(named.keywords, page.issues, 'team, states, assignee, labels, project or dates'),
      ),
    })
  },
})

export const findDuplicates = defineTool({
  name: 'FindDuplicates',
  title: 'Find duplicates of an issue',
  description: Message.of(
    'Find open issues that a new ticket or bug may repeat, by the words of its title and text: the most alike first. Compares wording, not meaning; closed issues are not looked at.',
    sentence`Use it before ${{ tool: 'IssueTracker.CreateIssue' }}; ${{ tool: 'IssueTracker.CreateIssueRelation' }} marks a duplicate.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    title: reference('Title of the new issue.'),
    text: z.string().max(100_000).optional().describe('Its description.'),
    team: reference('Only this team: name, key or id.').optional(),
    limit: z.int().min(1).max(20).default(5).describe('How many.'),
  }),
  output: z.object({ issues: z.array(IssueRow.extend({ likeness: z.number().describe('0 to 1.') })), ...noticesField }),
  example: { title: 'Map tiles flicker on a slow line' },
  async run({ title, text = '', team, limit: most }, { linear, resolver }) {
    const paired = wordsOf(title).slice(0, 12)
    // Long words are rarer.
    const words = [...new Set([...paired, ...wordsOf(text).toSorted((one, other) => other.length - one.length)])].slice(0, 12)
    if (words.length === 0) throw new InvalidInput('"title" has no word to search for. Pass the title of the issue.')
    const found = await resolver.list({ team }, async (read) => findSimilar(linear, { words, paired }, read.team))
    const print = issuePrinter(found.issues)
    const ranked = found.issues
      .map((issue) => ({ ...print(issue), likeness: likeness({ title, text }, { title: issue.title, text: issue.description ?? '' }) }))
      .filter((row) => row.likeness >= 0.2)
      .toSorted((one, other) => other.likeness - one.likeness)
    const none = ranked.length === 0 ? 'No similar open issues found.' : undefined
    const cut = found.has_more_issues
      ? 'Many issues share a word with this one. Only the 25 changed most recently, and 30 with two of its words in their titles, were compared.'
      : undefined
    return { issues: ranked.slice(0, most), ...noticesOf(none, cut) }
  },
})

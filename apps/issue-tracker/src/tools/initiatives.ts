import { Pagination, startPaging } from '@mcp-toolkits/core/pagination'
import { Message, sentence } from '@mcp-toolkits/core/message'
import * as z from 'zod'
import { defineTool } from '../context.ts'
import { refuseForeignPage } from '../linear/addresses.ts'
import { nameFilters } from '../linear/filters.ts'
import { initiativeNamed } from '../linear/initiative-references.ts'
import {
  findInitiative,
  getInitiativeText,
  InitiativeDetail,
  initiativeStatus,
  initiativeStatuses,
  listInitiatives as listInitiativesOperation,
} from '../linear/initiatives.ts'
import { InitiativeRow } from '../linear/records.ts'
import { isUuid, slugIn, tidy, workspaceIn } from '../linear/references.ts'
import { columnOf, notAnId, onlyOne, pick } from '../resolve/lookup.ts'
import { initiativeSought, sought } from '../resolve/sought.ts'
import { Chunk, chunkOf, chunkParameters, Cut, cut } from './long-text.ts'
import { emptyNotice } from './notices.ts'
import { autoAccept, endCursor, include, keywords, limit, reference } from './parameters.ts'

const vendorStatus = z.string().describe("Linear's own word for the status.")

function worded<Record extends { readonly status: string }>(record: Record): Record & { vendor_status: string } {
  return { ...record, status: initiativeStatus(record.status), vendor_status: record.status }
}

export const getInitiative = defineTool({
  name: 'GetInitiative',
  title: 'Get an initiative',
  description: Message.of(
    'One initiative, and as asked for its projects.',
    sentence`A description over 5,000 characters is cut; ${{ tool: 'IssueTracker.GetInitiativeDescription' }} reads all of it.`,
  ),
  effect: 'read',
  scopes: ['initiative:read'],
  input: z.strictObject({
    value: reference('What lookup_by says; an id can be a slug or URL too.'),
    lookup_by: z.enum(['id', 'name']).default('id').describe('What value is.'),
    include_projects: include.flag('The first 50 projects.'),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ initiative: InitiativeDetail.extend({ ...Cut.shape, vendor_status: vendorStatus }) }),
  async run({ value: given, lookup_by: said, include_projects: projects, auto_accept_matches: accept }, { linear }, { signal }) {
    const value = tidy(given)
    // The address of an initiative's page says which one is meant, whatever it was said to be.
    const column = workspaceIn(value) === undefined ? columnOf(value, said) : 'id'
    const named = initiativeNamed(value)
    if (column === 'id' && !isUuid(named) && slugIn(named) === undefined) throw notAnId(value, ['name'])
    const filter = column === 'name' ? { name: { eqIgnoreCase: value } } : isUuid(named) ? { id: { eq: named } } : { slugId: { eq: named } }
    const { exact, candidates } = await linear.run(findInitiative, { filter, projects }, signal)
    const found = pick({ column, exact, candidates, wanted: column === 'name' ? given : named, kind: 'initiative', autoAccept: accept })
    if ('name' in found) {
      refuseForeignPage(given, found.url)
      return { initiative: worded(cut(found)) }
    }
    const close = await linear.run(findInitiative, { filter: { id: { eq: found.closeTo } }, projects }, signal)
    return { initiative: worded(cut(onlyOne(close.exact))) }
  },
})

export const listInitiatives = defineTool({
  name: 'ListInitiatives',
  title: 'List initiatives',
  description: 'Initiatives of the workspace, newest first. Archived ones are left out.',
  effect: 'read',
  scopes: ['initiative:read'],
  input: z.strictObject({
    keywords: keywords('Words, all of them in the name.'),
    state: z
      .enum(['planned', 'started', 'paused', 'completed'])
      .optional()
      .describe('The status. paused finds nothing: Linear has no such status.'),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({
    initiatives: z.array(InitiativeRow.extend({ vendor_status: vendorStatus })),
    pagination: Pagination,
    notice: z.string().optional(),
  }),
  async run({ limit: first, end_cursor: cursor, ...filters }, { linear }, { signal }) {
    const { keywords: words, state } = filters
    const { after, pagination } = startPaging(['ListInitiatives', filters], cursor)
    if (state === 'paused') {
      const notice = 'Linear has no paused initiatives; they are proposed, planned, started (Active), completed or canceled.'
      return { initiatives: [], pagination: pagination(false, undefined), notice }
    }
    const conditions = [
      ...(words === undefined ? [] : nameFilters(words)),
      ...(state === undefined ? [] : [{ status: { eq: initiativeStatuses[state] } }]),
    ]
    const filter = conditions.length === 0 ? {} : { and: conditions }
    const page = await linear.run(listInitiativesOperation, { first, after, filter }, signal)
    return {
      initiatives: page.initiatives.map(worded),
      pagination: pagination(page.has_more_initiatives, page.initiatives_end_cursor),
      ...emptyNotice('initiative', page.initiatives, filters),
    }
  },
})

export const getInitiativeDescription = defineTool({
  name: 'GetInitiativeDescription',
  title: 'Read an initiative description',
  description: 'The whole description of an initiative, piece by piece: read on with offset = next_offset until that is null.',
  effect: 'read',
  scopes: ['initiative:read'],
  input: z.strictObject({ initiative_id: reference('Id, slug or URL.'), ...chunkParameters }),
  output: Chunk,
  async run({ initiative_id: given, offset, limit: count }, { linear }, { signal }) {
    const id = initiativeNamed(given)
    const { initiative } = await sought(initiativeSought(id), linear.run(getInitiativeText, { id }, signal))
    refuseForeignPage(given, initiative.url)
    return chunkOf(initiative.content ?? initiative.description, offset, count)
  },
})

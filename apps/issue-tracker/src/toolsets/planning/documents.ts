import { InvalidInput, Message, sentence } from '@mcp-toolkits/core/errors'
import { Pagination, startPaging } from '@mcp-toolkits/core/references'
import { confirmCreated } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import * as documents from '../../linear/planning/documents.ts'
import { nameFilters, projectFilter, readingsOf, teamFilter } from '../../linear/references.ts'
import { showsLine, showsText, textIn } from '../../linear/stored.ts'
import { findDocument, findOwner } from '../../resolve/planning/documents.ts'
import { ofIssue } from '../../resolve/planning/of-issue.ts'
import { archivedFilterNotice } from '../../resolve/resolver.ts'
import { Chunk, chunkOf, chunkParameters, withLineBreaks } from '../../tools/long-text.ts'
import { archivedNotice, emptyNotice, keywordsNotice, noticesOf, repeatNotice } from '../../tools/notices.ts'
import {
  autoAccept,
  endCursor,
  issueReference,
  keywords,
  limit,
  markdown,
  noticesField,
  projectReference,
  reference,
  title,
} from '../../tools/parameters.ts'
import { cutNotice, replaceText } from '../../tools/replaced-text.ts'
import { compact, peopleIn, projectsIn, text, optionalText } from '../../tools/rows.ts'

const DocumentLine = z.object({
  title: text,
  slug_id: text,
  project: optionalText,
  initiative: optionalText,
  issue: optionalText,
  team: optionalText,
  creator: optionalText,
  updated_at: optionalText,
  archived_at: optionalText,
})
const DocumentRow = DocumentLine.extend({ url: optionalText })

function documentLines(rows: readonly documents.DocumentRow[]): z.output<typeof DocumentLine>[] {
  const [person, project] = [peopleIn(rows.map(({ creator }) => creator)), projectsIn(rows.map((row) => row.project))]
  return rows.map(({ title, slug_id, initiative, issue, team, creator, updated_at, archived_at, ...row }) =>
    compact({
      title,
      slug_id,
      project: project(row.project),
      initiative: initiative?.name,
      issue: issue?.identifier,
      team: team?.key,
      creator: person(creator),
      updated_at,
      archived_at,
    }),
  )
}

const writtenDocument = (document: documents.StoredDocument): z.output<typeof DocumentRow> => ({
  ...documentLines([document])[0],
  title: document.title,
  slug_id: document.slug_id,
  ...compact({ url: document.url }),
})

const documentReference = reference('Title, slug, id or URL.')

export const listDocuments = defineTool({
  name: 'ListDocuments',
  title: 'List documents',
  description: Message.of(
    'List the documents (specs, notes, plans) of the workspace, a project, an issue or a team, most recently changed first, or find some by title.',
    sentence`To read one, use ${{ tool: 'IssueTracker.GetDocument' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  input: z.strictObject({
    keywords: keywords('Words that must all be in the title.'),
    project: projectReference.optional(),
    issue: issueReference.optional(),
    team: reference('Name, key or id.').optional(),
    limit,
    end_cursor: endCursor,
  }),
  output: z.object({ documents: z.array(DocumentLine), pagination: Pagination, ...noticesField }),
  example: { project: 'Trails launch' },
  async run({ limit, end_cursor, ...filters }, { linear, resolver }) {
    const { after, first, result, pagination } = startPaging(['ListDocuments', filters], { limit, end_cursor })
    const page = await resolver.list({ project: filters.project, team: filters.team }, async (references) => {
      const project = references.project === undefined ? undefined : projectFilter(...readingsOf(references.project))
      const team = references.team === undefined ? undefined : teamFilter(references.team)
      return ofIssue(linear, filters.issue, async (issue) => {
        const conditions = [
          ...nameFilters(filters.keywords).map(({ name }) => ({ title: name })),
          ...[project && { project }, team && { team }, issue && { issue }].filter((each) => each !== undefined),
        ]
        const filter = conditions.length === 0 ? undefined : { and: conditions }
        return linear.send(documents.listDocuments, { first, after, filter, project, team, issue })
      })
    })
    return result({
      documents: documentLines(page.documents),
      pagination: pagination(page.has_more_documents, page.documents_end_cursor),
      ...noticesOf(
        emptyNotice('document', page.documents, { ...filters, after }),
        archivedFilterNotice(page.documents, page.project, page.team),
        keywordsNotice(filters.keywords, page.documents, 'project, issue or team'),
      ),
    })
  },
})

export const getDocument = defineTool({
  name: 'GetDocument',
  title: 'Read a document',
  description: Message.of(
    'Read one document (spec, notes, plan): its text in Markdown, in parts if it is long, and what it belongs to. Continue until next_offset is null.',
    sentence`To find it, use ${{ tool: 'IssueTracker.ListDocuments' }}.`,
  ),
  effect: 'read',
  scopes: ['read'],
  narrowing: 'To get less, pass a smaller limit.',
  input: z.strictObject({ document: documentReference, ...chunkParameters, auto_accept_matches: autoAccept }),
  output: Chunk.extend({ document: DocumentRow, ...noticesField }),
  example: { document: 'Launch day checklist' },
  async run(args, { linear }, { notice }) {
    const document = await findDocument(args.document, { linear, autoAccept: args.auto_accept_matches, notice })
    return { document: writtenDocument(document), ...chunkOf(document.content, args.offset, args.limit) }
  },
})

export const createDocument = defineTool({
  name: 'CreateDocument',
  title: 'Create a document',
  description: Message.of(
    'Create a document (spec, notes, plan) of a project, an initiative, an issue or a team: pass one of them. Titles need not be unique.',
    sentence`To change one, use ${{ tool: 'IssueTracker.UpdateDocument' }}.`,
  ),
  effect: 'create',
  scopes: ['write'],
  input: z.strictObject({
    title: title('The title.'),
    content: markdown().optional(),
    project: projectReference.optional(),
    initiative: reference('Id, slug, URL or name.').optional(),
    issue: issueReference.optional(),
    team: reference('Key, name or id.').optional(),
    auto_accept_matches: autoAccept,
  }),
  output: z.object({ document: DocumentRow, ...noticesField }),
  example: { title: 'Notes on the beta', project: 'Trails launch', content: 'Twelve teams answered.' },
  async run({ title, content: given, auto_accept_matches: autoAccept, ...references }, { linear }, { operation, notice }) {
    if (Object.values(references).every((each) => each === undefined))
      throw new InvalidInput('A document must belong to something. Pass one of project, initiative, issue, team.')
    const owner = await findOwner(references, { linear, autoAccept, notice })
    const content = given === undefined ? undefined : withLineBreaks(given)
    const identity = await operation.claim()
    const input = { title, content: content?.text, ...owner }
    const { record, wasCreatedEarlier } = await documents.createDocument(linear, { ...input, id: identity.uuid('document') })
    const stored = textIn(record, 'content')
    const confirmed = wasCreatedEarlier
      ? []
      : [confirmCreated('Linear', { ...shownIn(input, record), ...belongs(owner, record) }), ...cutNotice('content', content?.text, stored)]
    const repeated = repeatNotice(identity, wasCreatedEarlier, record.archived_at)
    return { document: writtenDocument(record), ...noticesOf(content?.notice, repeated, ...confirmed) }
  },
})

/** The owner's parameter, true if the stored document belongs to the owner that was sent. */
function belongs(owner: Readonly<Record<string, string>>, { project, initiative, issue, team }: documents.StoredDocument) {
  const stored: Readonly<Record<string, { readonly id: string } | undefined>> = {
    projectId: project,
    initiativeId: initiative,
    issueId: issue,
    teamId: team,
  }
  return Object.fromEntries(Object.entries(owner).map(([name, id]) => [name.replace(/Id$/, ''), stored[name]?.id === id]))
}

export const updateDocument = defineTool({
  name: 'UpdateDocument',
  title: 'Change a document',
  description: Message.of(
    'Change the title or the whole text of a document. It cannot be moved.',
    sentence`To add to the text or change a passage, use ${{ tool: 'IssueTracker.EditDescription' }}.`,
  ),
  effect: 'update',
  scopes: ['write'],
  input: z.strictObject({
    document: documentReference,
    title: title('New title.').optional(),
    content: markdown('New text, in Markdown.').optional(),
  }),
  output: z.object({ document: DocumentRow, ...noticesField }),
  example: { document: 'Launch day checklist', title: 'Checklist for the day' },
  async run(args, { linear }, { notice }) {
    const content = args.content === undefined ? undefined : withLineBreaks(args.content)
    const input = { title: args.title, content: content?.text }
    if (input.title === undefined && !content) throw new InvalidInput('Nothing to change. Pass at least one of title, content.')
    const current = await findDocument(args.document, { linear, autoAccept: false, notice })
    const before = textIn(current, 'content')
    const { document, notices } = await replaceText({
      linear,
      parameter: 'content',
      text: content,
      before,
      read: (offset) => ({ tool: 'IssueTracker.GetDocument', arguments: { document: current.slug_id, offset } }),
      async write() {
        const document = await documents.updateDocument(linear, { id: current.id, input })
        return { document, stored: textIn(document, 'content'), shown: shownIn(input, document, before) }
      },
    })
    return { document: writtenDocument(document), ...noticesOf(archivedNotice('document', document.archived_at), ...notices) }
  },
})

interface Input {
  readonly title?: string | undefined
  readonly content?: string | undefined
}

/** The parameters that were sent, each true if the stored document shows its value. */
function shownIn({ title, content }: Input, document: documents.StoredDocument, before?: string) {
  return { title: showsLine(title, document.title), content: showsText(content, textIn(document, 'content'), before) }
}

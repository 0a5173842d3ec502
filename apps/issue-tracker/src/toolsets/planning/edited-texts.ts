import type { NextStep } from '@mcp-toolkits/core/errors'
import type * as z from 'zod'
import type { LinearCall } from '../../linear/client.ts'
import { initiativeSuggestions } from '../../linear/initiatives.ts'
import * as documents from '../../linear/planning/texts.ts'
import { initiativeFilter, issueId, readingsOf } from '../../linear/references.ts'
import { documentText, issueText, textIn } from '../../linear/stored.ts'
import { requireSameWorkspace } from '../../linear/workspace.ts'
import { findDocument } from '../../resolve/planning/documents.ts'
import { candidate, matchReferences, type Notice, onlyOne } from '../../resolve/matching.ts'
import { issueRef, withNotFoundHint } from '../../resolve/not-found.ts'
import { withinProject } from '../../resolve/planning/within-project.ts'
import { changedTextFields } from '../../tools/long-text.ts'

/** A record with text that people edit together. */
export interface EditedText {
  readonly id: string
  /** An issue's identifier, or the name or title of anything else. */
  readonly name: string
  /** The reference to pass to the tool that reads it. */
  readonly reference: string
  /** The text; undefined if Linear's response omits it. */
  readonly text: string | undefined
  readonly updatedAt: string | undefined
  readonly archivedAt: string | undefined
  readonly url: string | undefined
  /** True if the text is the short one, because there is no long one yet. */
  readonly isShort?: boolean
}

interface Kind {
  /** Finds the record with one request, or more if the reference does not match. */
  readonly find: (reference: string, finding: { readonly linear: LinearCall; readonly notice: Notice }) => Promise<EditedText>
  readonly write: (linear: LinearCall, record: EditedText, text: string) => Promise<EditedText>
  readonly read: (reference: string) => NextStep
}

const common = ({
  id,
  updated_at: updatedAt,
  archived_at: archivedAt,
  url,
}: Pick<z.output<typeof documents.IssueText>, 'id' | 'updated_at' | 'archived_at' | 'url'>) => ({ id, updatedAt, archivedAt, url })

const issue = (record: z.output<typeof documents.IssueText>): EditedText => ({
  ...common(record),
  name: record.identifier,
  reference: record.identifier,
  text: issueText(record),
})

const plan = (record: z.output<typeof documents.PlanText>): EditedText => ({
  ...common(record),
  name: record.name,
  reference: record.id,
  text: documentText(record),
  isShort: 'content' in record && !record.content,
})

const document = (record: z.output<typeof documents.DocumentText>): EditedText => ({
  ...common(record),
  name: record.title,
  reference: record.slug_id,
  text: textIn(record, 'content'),
})

/** Input for a plan's text; the short text stays unchanged if there is a long one. */
const planInput = ({ isShort }: EditedText, text: string) => (isShort === true ? changedTextFields(text) : { content: text })

/** Kinds of records with editable texts, by the parameter that names one. */
export const kinds = {
  issue: {
    async find(reference, { linear }) {
      const id = issueId(reference)
      const found = (await withNotFoundHint(issueRef(id), linear.send(documents.textOfIssue, { id }))).issue
      return issue(found)
    },
    write: async (linear, { id }, description) => issue(await documents.editIssue(linear, { id, input: { description } })),
    read: (reference) => ({ tool: 'IssueTracker.GetIssue', arguments: { issue_id: reference } }),
  },
  project: {
    find: async (reference, { linear, notice }) =>
      plan(
        await withinProject(
          linear,
          { reference, notice },
          async (project) => (await linear.send(documents.textOfProject, { project })).projects,
        ),
      ),
    write: async (linear, record, text) => plan(await documents.editProject(linear, { id: record.id, input: planInput(record, text) })),
    read: (reference) => ({ tool: 'IssueTracker.GetProject', arguments: { value: reference } }),
  },
  initiative: {
    async find(reference, { linear, notice }) {
      const { initiatives: found } = await linear.send(documents.textOfInitiative, {
        initiative: initiativeFilter(...readingsOf(reference)),
      })
      const suggest = async () => ({
        initiative: (await linear.send(initiativeSuggestions, { archived: false })).initiatives.map(candidate),
      })
      const query = { kind: 'initiative', reference, found: found.map(candidate) } as const
      const matches = await matchReferences({ initiative: query }, { autoAccept: false, notice, suggest })
      const record = onlyOne(found.filter(({ id }) => id === matches('initiative')[0]?.id))
      await requireSameWorkspace(linear, reference, record.url)
      return plan(record)
    },
    write: async (linear, record, text) => plan(await documents.editInitiative(linear, { id: record.id, input: planInput(record, text) })),
    read: (reference) => ({ tool: 'IssueTracker.GetInitiative', arguments: { value: reference } }),
  },
  document: {
    find: async (reference, finding) => document(await findDocument(reference, { ...finding, autoAccept: false })),
    write: async (linear, { id }, content) => document(await documents.editDocument(linear, { id, input: { content } })),
    read: (reference) => ({ tool: 'IssueTracker.GetDocument', arguments: { document: reference } }),
  },
} as const satisfies Readonly<Record<string, Kind>>

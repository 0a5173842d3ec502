import type { LinearDocument as Linear } from '@linear/sdk'
import { isObject } from '@mcp-toolkits/core/base'
import { type FieldShown, sameText, type Shown } from '@mcp-toolkits/core/tool'
import type { NewAttachment } from './issues/attachments.ts'
import { type InputOf, priorities } from './document.ts'
import type { StoredInitiative } from './initiatives.ts'
import type { StoredIssue } from './issues/issues.ts'
import type { StoredProject } from './projects.ts'

/* Compares, by parameter, what was sent with the records that Linear returns. */

/** Mentions, and links to issues, as Linear writes them. */
const mention = /https:\/\/linear\.app\/[\w-]+\/profiles\/([^\s/?#)*]+)/g
const issueLink = /\[([A-Z][A-Z0-9]*-\d+)\]\(https?:[^()\s]*\)/g
/** Issue URLs, which Linear turns into links, and the scheme of other pages. */
const issuePage = /(?:https:\/\/)?\blinear\.app\/[\w-]+\/issue\/([A-Z][A-Z0-9]*-\d+)(?:[/?#][^\s<>()*]*(?<![.,;:!?_~]))?/g
const scheme = /https:\/\/(?=linear\.app\/)/g

/** Text with its mentions and issue links as words, and with uniform line breaks. */
export function inWords(text: string | null | undefined): string {
  const words = (text ?? '').replace(mention, '@$1').replace(issueLink, '$1').replace(issuePage, '$1').replace(scheme, '')
  return words.normalize('NFC').replace(/\r\n?/g, '\n').trim()
}

/** Like `inWords`, but with white space collapsed. */
export const plainText = (text: string | null | undefined) => inWords(text).replace(/\s+/g, ' ')

type Fields = Readonly<Record<string, unknown>>

/** The first of the given fields that holds text: empty if all are null, undefined if the response omits one. */
export function textIn(record: Fields, ...fields: readonly string[]): string | undefined {
  for (const name of fields) {
    const { [name]: text } = record
    if (typeof text === 'string') return text
    if (!(name in record)) return undefined
  }
  return ''
}

/** An issue's text, and a project's or initiative's text. */
export const issueText = (record: Fields) => textIn(record, 'description')
export const documentText = (record: Fields) => textIn(record, 'content', 'description')

type IssueInput = Partial<InputOf<Linear.IssueCreateInput>> & Pick<InputOf<Linear.IssueUpdateInput>, 'addedLabelIds' | 'removedLabelIds'>

/** Compares the issue with what was sent; `before` is its previous description. */
export function shownInIssue(input: IssueInput, issue: Fields & Pick<StoredIssue, 'title' | 'all_labels'>, before?: string): Shown {
  const labels = issue.all_labels.map(({ id }) => id)
  return {
    team: shows(input.teamId, issue, 'team'),
    title: showsLine(input.title, issue.title),
    description: showsText(input.description, issueText(issue), before),
    assignee: shows(input.delegateId ?? undefined, issue, 'delegate') ?? shows(input.assigneeId, issue, 'assignee'),
    delegate: input.delegateId === null ? shows(null, issue, 'delegate') : undefined,
    priority: shows(input.priority == null ? undefined : priorities[input.priority], issue, 'priority'),
    state: shows(input.stateId, issue, 'state'),
    project: shows(input.projectId, issue, 'project'),
    cycle: shows(input.cycleId, issue, 'cycle'),
    parent_issue: shows(input.parentId, issue, 'parent'),
    estimate: shows(input.estimate, issue, 'estimate'),
    due_date: shows(input.dueDate, issue, 'due_date'),
    labels_to_add: (input.labelIds ?? input.addedLabelIds)?.every((id) => labels.includes(id)),
    labels_to_remove: input.removedLabelIds?.every((id) => !labels.includes(id)),
  }
}

type ProjectInput = InputOf<Linear.ProjectUpdateInput>

/** Ids of the teams that a change adds to and removes from a project. */
export interface TeamChange {
  readonly added: readonly string[]
  readonly removed: readonly string[]
}

/** Compares the project with what was sent; `before` is its previous text. */
export function shownInProject(input: ProjectInput, project: StoredProject, { added, removed }: TeamChange, before?: string): Shown {
  const teams = project.all_teams.map(({ id }) => id)
  return {
    name: showsLine(input.name, project.name),
    description: showsText(input.content ?? input.description, documentText(project), before),
    state: shows(input.statusId, project, 'status'),
    lead: shows(input.leadId, project, 'lead'),
    start_date: shows(input.startDate, project, 'start_date'),
    target_date: shows(input.targetDate, project, 'target_date'),
    teams_to_add: added.length === 0 ? undefined : added.every((id) => teams.includes(id)),
    teams_to_remove: removed.length === 0 ? undefined : removed.every((id) => !teams.includes(id)),
  }
}

type InitiativeInput = InputOf<Linear.InitiativeUpdateInput>

/** Compares the initiative with what was sent; `before` is its previous text. */
export function shownInInitiative(input: InitiativeInput, initiative: StoredInitiative, before?: string): Shown {
  return {
    name: showsLine(input.name, initiative.name),
    description: showsText(input.content ?? input.description, documentText(initiative), before),
    status: shows(input.status, initiative, 'status'),
    target_date: shows(input.targetDate, initiative, 'target_date'),
  }
}

/** True if the record returned by an archive mutation is archived. */
export function isArchived(record: { readonly archived_at?: string | undefined }): FieldShown {
  return 'archived_at' in record ? record.archived_at !== undefined : 'unread'
}

export function shownInAttachment(page: NewAttachment, attachment: NewAttachment) {
  return {
    attachment_url: showsUrl(page.url, attachment.url),
    // If the caller gives no title, Linear may choose one other than the URL.
    attachment_title: page.title === page.url ? undefined : showsLine(page.title, attachment.title),
  }
}

export function showsUrl(sent: string, stored: string): boolean {
  return sameText(sent.toLowerCase(), stored.toLowerCase())
}

/** Compares a field with the value or id sent; null means it was cleared. */
function shows(sent: unknown, record: Fields, name: string): FieldShown | undefined {
  if (sent === undefined) return undefined
  const { [name]: stored } = record
  return name in record ? (sent ?? undefined) === (isObject(stored) ? stored['id'] : stored) : 'unread'
}

export function showsLine(sent: string | null | undefined, stored: string | undefined): boolean | undefined {
  return sent === undefined ? undefined : plainText(sent) === plainText(stored)
}

/** Linear rewrites Markdown, so stored text that differs from both the sent and the previous text counts as the sent text. */
export function showsText(sent: string | null | undefined, stored: string | undefined, before = ''): FieldShown | undefined {
  if (sent === undefined) return undefined
  return stored === undefined
    ? 'unread'
    : sameBesideNames(plainText(sent), plainText(stored)) || (plainText(stored) !== '' && stored !== before)
}

/** Compares texts, of which one may have full names after "@", and the other the names that Linear shows. */
function sameBesideNames(sent: string, stored: string): boolean {
  const [parts, others] = [sent.split('@'), stored.split('@')]
  const behindName = (part: string) => part.replace(/^[\p{L}\p{N}._-]+/u, '')
  return (
    parts.length === others.length &&
    others.every((other, index) => parts[index] === other || (index > 0 && parts[index]?.endsWith(behindName(other)) === true))
  )
}

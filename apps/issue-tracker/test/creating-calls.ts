import type { LinearEmulator } from '@mcp-toolkits/linear-emulator'
import type { Args } from './calls.ts'
import { textWith } from './matching.ts'
import { firstComment } from './writing-calls.ts'

/** A call that creates something. */
export interface CreatingCall {
  readonly tool: string
  readonly args: Args
  /** The number of parts of each thing that the call has created in Linear. */
  readonly created: () => readonly number[]
  /** Number of parts of a complete thing. */
  readonly parts: number
  /** True if a second call changes nothing, because there can be only one such thing. */
  readonly isUnique: boolean
  /** The notices of a second call; undefined for none. */
  readonly noticesAgain?: readonly unknown[]
}

/** One call of each tool that creates something, in a workspace where none of these things exist yet. */
export function creatingCalls(emulator: LinearEmulator): readonly CreatingCall[] {
  const { store } = emulator
  const comment = firstComment({ emulator })
  const ones = (rows: readonly unknown[]) => rows.map(() => 1)
  const once = { parts: 1, isUnique: false } as const
  const unique = { parts: 1, isUnique: true } as const
  const links = store.projectLinks().length
  const relations = store.relations().length
  const url = 'https://example.com/once'
  const pull = 'https://github.com/acme/app/pull/9'
  const comments = () => ones(store.comments().filter(({ body }) => body === 'Once'))
  const parts = ({ id }: { readonly id?: unknown }) => 1 + store.attachments().filter((each) => each['issueId'] === id).length
  return [
    {
      tool: 'CreateIssue',
      args: { team: 'ENG', title: 'Once', attachment_url: url },
      created: () => store.issues().flatMap((issue) => (issue['title'] === 'Once' ? [parts(issue)] : [])),
      parts: 2,
      isUnique: false,
      noticesAgain: [textWith('has the same title')],
    },
    { tool: 'AddComment', args: { issue: 'ENG-1', body: 'Once' }, created: comments, ...once },
    {
      tool: 'ReplyToComment',
      args: { issue: comment.issue, parent_comment_id: comment.id, body: 'Once' },
      created: comments,
      ...once,
    },
    {
      tool: 'CreateProject',
      args: { name: 'Once', team: 'ENG' },
      created: () => ones(store.projects().filter(({ name }) => name === 'Once')),
      ...once,
      noticesAgain: [textWith('has the same name')],
    },
    {
      tool: 'CreateProjectUpdate',
      args: { project_id: 'Apollo', body: 'Once' },
      created: () => ones(store.projectUpdates().filter(({ body }) => body === 'Once')),
      ...once,
      noticesAgain: [textWith('an update with the same text')],
    },
    {
      tool: 'CreateInitiative',
      args: { name: 'Once' },
      created: () => ones(store.initiatives().filter(({ name }) => name === 'Once')),
      ...once,
    },
    {
      tool: 'CreateIssueRelation',
      args: { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' },
      created: () => ones(store.relations().slice(relations)),
      ...unique,
      noticesAgain: ['ENG-4 already has this relation.'],
    },
    {
      tool: 'LinkCodeHostToIssue',
      args: { issue: 'ENG-4', code_host_url: pull },
      created: () => ones(store.attachments().filter((each) => each['url'] === pull)),
      ...unique,
      noticesAgain: ['The URL is already linked; nothing was changed.'],
    },
    {
      tool: 'AddProjectToInitiative',
      args: { initiative: 'Brand refresh', project: 'Apollo' },
      created: () => ones(store.projectLinks().slice(links)),
      ...unique,
      noticesAgain: ['Project "Apollo" is already in "Brand refresh".'],
    },
  ]
}

/** The names of those tools. */
export const creatingTools = [
  'CreateIssue',
  'AddComment',
  'ReplyToComment',
  'CreateProject',
  'CreateProjectUpdate',
  'CreateInitiative',
  'CreateIssueRelation',
  'LinkCodeHostToIssue',
  'AddProjectToInitiative',
] as const

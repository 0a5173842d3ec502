import { randomUUID } from 'node:crypto'
import type { Args } from './calls.ts'
import type { Workspace } from './workspace.ts'

export interface WritingCall {
  readonly tool: string
  readonly args: Args
  /** The number of requests to Linear if all references are right. */
  readonly requests: number
  /** False if the call adds nothing to the log of mutations. */
  readonly writes?: false
}

/** The first comment in the workspace that is not a reply. */
export function firstComment({ emulator }: Pick<Workspace, 'emulator'>): {
  readonly id: string
  readonly issue: string
  readonly own: string
} {
  const comments = emulator.store.comments()
  const viewer = emulator.store.issues().find((issue) => issue['identifier'] === 'ENG-1')?.['creatorId']
  const thread = comments.find((comment) => comment['parentId'] === null)
  const own = comments.find((comment) => comment['userId'] !== thread?.['userId'] && comment['issueId'] === thread?.['issueId'])
  const issue = emulator.store.issues().find((each) => each['id'] === thread?.['issueId'])
  return { id: String(thread?.['id']), issue: String(issue?.['identifier']), own: String(own?.['id'] ?? viewer) }
}

/** Calls of the tools that write issues, comments and links, with the number of requests that each takes. */
export function issueCalls(server: Workspace): WritingCall[] {
  const { id: comment, issue, own } = firstComment(server)
  const named = {
    assignee: 'Ada Okafor',
    state: 'Todo',
    project: 'Billing rewrite',
    cycle: 'current',
    labels_to_add: ['Bug', 'qa/cleanup'],
  }
  return [
    { tool: 'CreateIssue', args: { team: 'ENG', title: 'One' }, requests: 2 },
    {
      tool: 'CreateIssue',
      args: { team: 'Engineering', title: 'Two', ...named, parent_issue: 'eng-1', estimate: 3, attachment_url: 'https://a.example/1' },
      requests: 2,
    },
    // Accepting close matches costs one more request, except for states; a team and names within it share one.
    { tool: 'CreateIssue', args: { team: 'ENG', title: 'Three', state: 'In Progres', auto_accept_matches: true }, requests: 2 },
    { tool: 'CreateIssue', args: { team: 'ENG', title: 'Three', labels_to_add: ['Securty'], auto_accept_matches: true }, requests: 3 },
    {
      tool: 'CreateIssue',
      args: {
        team: 'Enginering',
        title: 'Four',
        labels_to_add: ['Securty'],
        assignee: 'Ada Okafr',
        project: 'Biling rewrite',
        auto_accept_matches: true,
      },
      requests: 3,
    },
    { tool: 'UpdateIssue', args: { issue_id: 'ENG-9', labels_to_add: ['Securty'], auto_accept_matches: true }, requests: 3 },
    { tool: 'TransitionIssueState', args: { issue_id: 'ENG-9', target_state: 'In Progres', auto_accept_matches: true }, requests: 2 },
    { tool: 'UpdateIssue', args: { issue_id: 'ENG-2', title: 'Renamed', priority: 'low', due_date: '2027-01-31' }, requests: 1 },
    {
      tool: 'UpdateIssue',
      args: { issue_id: 'ENG-2', fields_to_clear: ['assignee', 'cycle', 'project', 'due_date', 'estimate'] },
      requests: 1,
    },
    { tool: 'UpdateIssue', args: { issue_id: 'ENG-2', attachment_url: 'https://a.example/2', attachment_title: 'A' }, requests: 1 },
    { tool: 'UpdateIssue', args: { issue_id: 'ENG-2', attachment_url: 'https://a.example/3' }, requests: 2 },
    {
      tool: 'UpdateIssue',
      args: { issue_id: 'ENG-2', ...named, labels_to_add: ['qa/cleanup'], labels_to_remove: ['Security'], estimate: 5 },
      requests: 2,
    },
    // The current text is read before it is replaced, along with any references in the new text.
    { tool: 'UpdateIssue', args: { issue_id: 'ENG-2', description: 'Anew.' }, requests: 2 },
    { tool: 'UpdateIssue', args: { issue_id: 'ENG-2', description: 'Once more.', state: 'Todo' }, requests: 2 },
    { tool: 'TransitionIssueState', args: { issue_id: 'ENG-3', target_state: 'Done' }, requests: 2 },
    { tool: 'TransitionIssueState', args: { issue_id: 'ENG-3', target_state: 'completed' }, requests: 1, writes: false },
    { tool: 'CreateIssueRelation', args: { issue: 'ENG-4', related_issue: 'DES-4', relation_type: 'blocks' }, requests: 2 },
    {
      tool: 'CreateIssueRelation',
      args: { issue: 'DES-4', related_issue: 'ENG-4', relation_type: 'blockedBy' },
      requests: 1,
      writes: false,
    },
    { tool: 'CreateIssueRelation', args: { issue: 'DES-5', related_issue: 'ENG-5', relation_type: 'blockedBy' }, requests: 2 },
    { tool: 'CreateIssueRelation', args: { issue: 'ENG-5', related_issue: 'DES-5', relation_type: 'blocks' }, requests: 1, writes: false },
    { tool: 'CreateIssueRelation', args: { issue: 'ENG-6', related_issue: 'ENG-5', relation_type: 'related' }, requests: 2 },
    { tool: 'CreateIssueRelation', args: { issue: 'ENG-5', related_issue: 'ENG-6', relation_type: 'related' }, requests: 1, writes: false },
    { tool: 'CreateIssueRelation', args: { issue: 'ENG-7', related_issue: 'ENG-8', relation_type: 'duplicate' }, requests: 2 },
    { tool: 'ManageIssueSubscription', args: { issue: 'OPS-2', subscribe: true }, requests: 1 },
    { tool: 'ManageIssueSubscription', args: { issue: 'OPS-2', subscribe: false }, requests: 1 },
    { tool: 'ArchiveIssue', args: { issue: 'OPS-3' }, requests: 1 },
    { tool: 'AddComment', args: { issue: 'ENG-1', body: 'Seen.' }, requests: 1 },
    { tool: 'UpdateComment', args: { comment_id: own, body: `Changed ${randomUUID()}` }, requests: 2 },
    { tool: 'ReplyToComment', args: { issue, parent_comment_id: comment, body: 'Thanks.' }, requests: 2 },
    { tool: 'LinkCodeHostToIssue', args: { issue: 'ENG-1', code_host_url: 'https://github.com/acme/app/pull/12/files' }, requests: 2 },
    {
      tool: 'LinkCodeHostToIssue',
      args: { issue: 'ENG-1', code_host_url: 'https://github.com/acme/app/pull/12' },
      requests: 1,
      writes: false,
    },
  ]
}

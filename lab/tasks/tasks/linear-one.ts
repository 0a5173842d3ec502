// Linear: one issue.
import { added, changed, type Task } from '../task.ts'
import { column, rows, rowWith } from '../tools.ts'

const linear = { vendors: ['linear'] } as const

export const linearOne: readonly Task[] = [
  {
    ...linear,
    id: 'linear-give',
    grade: 'easy',
    wish: 'Please give ENG-34 to Yara Costa.',
    ends: [changed('issues', 'ENG-34', { assignee: 'Yara Costa' })],
    async solve({ call }) {
      await call('UpdateIssue', { issue_id: 'ENG-34', assignee: 'Yara Costa' })
      return 'ENG-34 is with Yara Costa now.'
    },
  },
  {
    ...linear,
    id: 'linear-finish',
    grade: 'easy',
    wish: 'We have checked ENG-18. It is finished, mark it as done.',
    ends: [changed('issues', 'ENG-18', { state: 'Done' })],
    async solve({ call }) {
      await call('TransitionIssueState', { issue_id: 'ENG-18', target_state: 'done' })
      return 'ENG-18 is done.'
    },
  },
  {
    ...linear,
    id: 'linear-file-bug',
    grade: 'easy',
    wish: 'File a bug for Engineering with high priority: "The compass turns after a call". Leave it unassigned for now.',
    ends: [
      added('issues', { team: 'ENG', title: /^The compass turns after a call\.?$/i, priority: 2, assignee: null, parent: null }),
      added('issueLabels', { issue: 'ENG-37', label: 'Bug' }),
    ],
    async solve({ call }) {
      const bug = {
        team: 'Engineering',
        title: 'The compass turns after a call',
        priority: 'high',
        labels_to_add: ['Bug'],
        assignee: 'none',
      }
      const { issue } = await call('CreateIssue', bug)
      return `I have filed it as ${column([issue], 'identifier')[0]}.`
    },
  },
  {
    ...linear,
    id: 'linear-decision',
    grade: 'easy',
    wish: 'What did we decide on ENG-9? Just tell me.',
    ends: [],
    answer: [/\bboth\b/i, /next/i],
    async solve({ call }) {
      const { comments } = await call('ListComments', { issue: 'ENG-9' })
      return String(rowWith(comments, 'body', 'Decided')['body'])
    },
  },
  {
    ...linear,
    id: 'linear-follow',
    grade: 'easy',
    wish: 'I want to hear of everything that happens on the issue about tile storage costs (OPS-11).',
    ends: [added('issueSubscribers', { issue: 'OPS-11', user: 'Robin Vance' })],
    watched: ['issueSubscribers'],
    async solve({ call }) {
      await call('ManageIssueSubscription', { issue: 'OPS-11', subscribe: true })
      return 'You follow OPS-11 now.'
    },
  },
  {
    ...linear,
    id: 'linear-blocks',
    grade: 'middle',
    wish: 'We cannot make the on-call rota (OPS-9) before the runbook is written. Note that between the two issues.',
    ends: [added('relations', { issue: 'OPS-8', relatedIssue: 'OPS-9', type: 'blocks' })],
    async solve({ call }) {
      const { issues } = await call('SearchIssues', { keywords: 'runbook', states: ['open'] })
      const { identifier } = rowWith(issues, 'title', 'Runbook')
      await call('CreateIssueRelation', { issue: identifier, related_issue: 'OPS-9', relation_type: 'blocks' })
      return `${String(identifier)} blocks OPS-9.`
    },
  },
  {
    ...linear,
    id: 'linear-move',
    grade: 'middle',
    wish: 'OPS-12 is for Engineering: move it there, and give it to Sam Idowu.',
    ends: [changed('issues', 'ENG-37', { team: 'ENG', identifier: 'ENG-37', assignee: 'Sam Idowu', state: (state) => state !== 'Done' })],
    allowed: [added('formerIdentifiers', { identifier: 'OPS-12' })],
    async solve({ call }) {
      await call('MoveIssueToTeam', { issue: 'OPS-12', team: 'Engineering', dry_run: true })
      const { issue } = await call('MoveIssueToTeam', { issue: 'OPS-12', team: 'Engineering' })
      const [identifier] = column([issue], 'identifier')
      await call('UpdateIssue', { issue_id: identifier, assignee: 'Sam Idowu' })
      return `It is ${identifier} now, and Sam Idowu has it.`
    },
  },
  {
    ...linear,
    id: 'linear-duplicate',
    grade: 'middle',
    wish: 'Packs crash while they are verified, on a Pixel 6. File it for Engineering unless we have it; if so, add my phone there.',
    ends: [added('comments', { issue: 'ENG-19', body: /Pixel 6/ })],
    async solve({ call }) {
      const { issues } = await call('FindDuplicates', { title: 'Packs crash while they are verified' })
      const [best] = rows(issues)
      await call('AddComment', { issue: best?.['identifier'], body: 'Seen on a Pixel 6, too.' })
      return `We have it as ${String(best?.['identifier'])}. I have added your phone there.`
    },
  },
  {
    ...linear,
    id: 'linear-reply',
    grade: 'middle',
    wish: 'Ines asked something on my issue about privacy. Answer her, in her thread, that the sentence about 30 days is in.',
    ends: [added('comments', { issue: 'ENG-21', body: /30 days/, parent: /^Our lawyer/ })],
    async solve({ call }) {
      const { issues } = await call('ListIssues', { assignee: '@me', keywords: 'privacy' })
      const { identifier: issue } = rowWith(issues, 'title', 'privacy')
      const { id } = rowWith((await call('ListComments', { issue }))['comments'], 'user', 'Ines')
      await call('ReplyToComment', { issue, parent_comment_id: id, body: 'The sentence about the 30 days is in.' })
      return 'I have answered Ines.'
    },
  },
  {
    ...linear,
    id: 'linear-two-adas',
    grade: 'hard',
    wish: 'Give OPS-7 to Ada.',
    ends: [],
    answer: [/Okafor/, /Okonkwo/],
    async solve({ refused }) {
      const said = await refused('UpdateIssue', { issue_id: 'OPS-7', assignee: 'Ada' })
      const names = ['Ada Okafor', 'Ada Okonkwo'].filter((name) => said.includes(name))
      return `Which Ada do you mean: ${names.join(' or ')}?`
    },
  },
  {
    ...linear,
    id: 'linear-lost-answer',
    grade: 'hard',
    wish: 'File this for Operations: "The alert of the load test went to the wrong phone". Once, please, the connection is bad today.',
    // Each request is carried out, and every other answer is lost.
    prepare: {
      linear: ({ faults }) => {
        faults.add({ action: { kind: 'chaos', seed: 1, rate: 1, kinds: ['drop_after'], max_in_a_row: 1 } })
      },
    },
    ends: [added('issues', { team: 'OPS', title: /^The alert of the load test went to the wrong phone\.?$/i })],
    async solve({ call }) {
      const title = 'The alert of the load test went to the wrong phone'
      const { issue } = await call('CreateIssue', { team: 'Operations', title, assignee: 'none' })
      return `It is ${column([issue], 'identifier')[0]}.`
    },
  },
]

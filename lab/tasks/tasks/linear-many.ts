// Linear: many issues, projects and documents.
import { member } from '../../../packages/core/src/base/json.ts'
import { added, changed, type Task } from '../task.ts'
import { allRows, column, dayAgo, rows, rowWith } from '../tools.ts'
import { namesOnly, oneMoreLine } from './texts.ts'

const linear = { vendors: ['linear'] } as const

/** Titles of the bugs that a wish lists. */
export const bugs = [
  'Legend is cut off on small phones',
  'Export of a track has no header',
  'Sync shows the time of another zone',
  'Snow depth is shown in inches in Norway',
  'A shared pin keeps its old name',
  'The back button leaves the map',
  'Downloads stop when the screen locks',
  'Waypoints lose their colour in print',
]
const knownBug = 'Battery drains overnight while a pack is updating'

export const linearMany: readonly Task[] = [
  {
    ...linear,
    id: 'linear-triage',
    grade: 'middle',
    wish: 'Triage what came in for Operations: the backup is urgent and for Tomás Herrera, tickets of customers are for Ada Okonkwo. All go to Todo.',
    ends: [
      changed('issues', 'OPS-14', { priority: 1, assignee: 'Tomás Herrera', state: 'Todo' }),
      ...['OPS-12', 'OPS-13', 'OPS-15'].map((issue) => changed('issues', issue, { assignee: 'Ada Okonkwo', state: 'Todo' })),
    ],
    async solve({ call }) {
      const { issues } = await call('SearchIssues', { team: 'Operations', states: ['triage'] })
      const decided = rows(issues).map(({ identifier, title }) =>
        String(title).includes('backup')
          ? { issue_id: identifier, priority: 'urgent', assignee: 'Tomás Herrera', state: 'Todo' }
          : { issue_id: identifier, assignee: 'Ada Okonkwo', state: 'Todo' },
      )
      await call('BatchUpdateIssues', { issues: decided })
      return `I have sorted ${decided.length} issues.`
    },
  },
  {
    ...linear,
    id: 'linear-hand-over',
    grade: 'middle',
    wish: 'Yara Costa is away: hand her open issues over to Ada Okafor.',
    ends: ['ENG-18', 'ENG-19', 'ENG-20', 'ENG-33'].map((issue) => changed('issues', issue, { assignee: 'Ada Okafor' })),
    async solve({ call }) {
      const { issues } = await call('SearchIssues', { assignee: 'Yara Costa', states: ['open'], limit: 50 })
      await call('BatchUpdateIssues', { issues: rows(issues).map(({ identifier }) => ({ issue_id: identifier, assignee: 'Ada Okafor' })) })
      return `Ada Okafor has ${column(issues, 'identifier').join(', ')}.`
    },
  },
  {
    ...linear,
    id: 'linear-report',
    grade: 'middle',
    wish: 'Post the weekly report of Trails launch: the open issues that block the launch, by their numbers. It stays at risk.',
    ends: [
      added('projectUpdates', {
        project: 'Trails launch',
        health: 'atRisk',
        body: namesOnly(['ENG-7', 'ENG-9', 'ENG-19', 'ENG-21', 'OPS-6']),
      }),
    ],
    allowed: [changed('projects', 'Trails launch', { health: 'atRisk' })],
    async solve({ call }) {
      const labels = (await call('ListLabels'))['labels']
      const { name } = rowWith(labels, 'name', 'blocker')
      const { issues } = await call('SearchIssues', { project: 'Trails launch', states: ['open'], labels: [name], limit: 50 })
      const numbers = column(issues, 'identifier')
      await call('CreateProjectUpdate', {
        project_id: 'Trails launch',
        body: `These block the launch: ${numbers.join(', ')}.`,
        health: 'atRisk',
      })
      return `The report names ${numbers.length} issues.`
    },
  },
  {
    ...linear,
    id: 'linear-ten-bugs',
    grade: 'hard',
    wish: `File these bugs for Engineering, once each, and none that we have: ${[...bugs, knownBug].join('; ')}.`,
    ends: [
      ...bugs.map((title) => added('issues', { team: 'ENG', title })),
      ...bugs.map((_, index) => added('issueLabels', { issue: `ENG-${37 + index}`, label: 'Bug' })),
    ],
    allowed: [added('comments', { issue: 'ENG-7' })],
    async solve({ call }) {
      const wanted = [...bugs, knownBug].map((title) => ({ team: 'Engineering', title, labels_to_add: ['Bug'] }))
      const shown = await call('BatchCreateIssues', { issues: wanted, dry_run: true })
      const isNew = rows(shown['issues']).map(({ notices }) => !String(notices).includes('has the same title'))
      const { created } = await call('BatchCreateIssues', { issues: wanted.filter((_, index) => isNew[index]) })
      return `I have filed ${String(created)}; we have the others.`
    },
  },
  {
    ...linear,
    id: 'linear-milestone',
    grade: 'hard',
    wish: 'In the milestone Launch of Trails launch, whatever is in the backlog or still to do goes to a new milestone "After launch", due on 2027-01-29.',
    ends: [
      added('projectMilestones', { project: 'Trails launch', name: 'After launch', targetDate: '2027-01-29' }),
      ...['ENG-14', 'ENG-16', 'ENG-17', 'ENG-20', 'OPS-9'].map((issue) => changed('issues', issue, { projectMilestone: 'After launch' })),
    ],
    async solve({ call }) {
      const { milestone } = await call('UpsertMilestone', { project: 'Trails launch', name: 'After launch', target_date: '2027-01-29' })
      const { issues } = await call('SearchIssues', { project: 'Trails launch', milestone: 'Launch', states: ['open'], limit: 50 })
      const waiting = rows(issues).filter(({ state }) => state === 'Backlog' || state === 'Todo')
      for (const issue of column(waiting, 'identifier')) await call('SetIssueMilestone', { issue, milestone: member(milestone, 'name') })
      return `After launch has ${column(waiting, 'identifier').join(', ')}.`
    },
  },
  {
    ...linear,
    id: 'linear-document',
    grade: 'middle',
    wish: 'Read the launch day checklist, and add a line at its end that says how many steps it has.',
    ends: [changed('records', 'Launch day checklist', { content: oneMoreLine(/^\D*\b(?:3|three)\b\D*$/i) })],
    async solve({ call }) {
      const { documents } = await call('ListDocuments', { keywords: 'launch day' })
      const { slug_id: document } = rowWith(documents, 'title', 'checklist')
      const read = await call('GetDocument', { document })
      const steps = String(read['text']).match(/^\d+\. /gm)?.length ?? 0
      const version = member(read['document'], 'updated_at')
      await call('EditDescription', { document, action: 'append', text: `${steps} steps in all.`, expected_version: version })
      return `It has ${steps} steps.`
    },
  },
  {
    ...linear,
    id: 'linear-stale',
    grade: 'hard',
    wish: 'Clean up Engineering: cancel what lies in the backlog with low priority, belongs to no one, and was not touched in the last three weeks. Keep what customers have asked for.',
    ends: [changed('issues', 'ENG-29', { state: 'Canceled' })],
    async solve({ call }) {
      const search = {
        team: 'Engineering',
        states: ['backlog'],
        priorities: ['low'],
        unassigned: true,
        updated_before: dayAgo(21),
        limit: 50,
      }
      const { issues } = await call('SearchIssues', search)
      const { workflow_states: teams } = await call('ListWorkflowStates', { team: 'Engineering' })
      const { name: state } = rowWith(rows(teams)[0]?.['states'], 'type', 'canceled')
      const ours = rows(issues).filter(({ labels }) => !JSON.stringify(labels).includes('Customer request'))
      await call('BatchUpdateIssues', { issues: ours.map(({ identifier }) => ({ issue_id: identifier, state })) })
      return `I have canceled ${column(ours, 'identifier').join(', ')}.`
    },
  },
  {
    ...linear,
    id: 'linear-hundred',
    grade: 'hard',
    wish: 'A script has filed issues called "Issue … of many" for Engineering by mistake. Cancel them all, and nothing else.',
    prepare: {
      linear: ({ addIssues }) => {
        addIssues(110)
      },
    },
    ends: Array.from({ length: 110 }, (_, index) => changed('issues', `ENG-${37 + index}`, { state: 'Canceled' })),
    async solve(tools) {
      const { call } = tools
      const issues = await allRows(
        tools,
        'SearchIssues',
        { team: 'Engineering', keywords: 'of many', states: ['open'], limit: 50 },
        'issues',
      )
      const { workflow_states: teams } = await call('ListWorkflowStates', { team: 'Engineering' })
      const { name: state } = rowWith(rows(teams)[0]?.['states'], 'type', 'canceled')
      const wrong = issues.filter(({ title }) => /^Issue \d+ of many$/.test(String(title)))
      for (let at = 0; at < wrong.length; at += 50)
        await call('BatchUpdateIssues', { issues: wrong.slice(at, at + 50).map(({ identifier }) => ({ issue_id: identifier, state })) })
      return `I have canceled ${wrong.length} issues.`
    },
  },
]

// Twelve jobs that people ask for, each as the calls to which descriptions and results lead.
import { isObject, type JsonObject, member } from '@mcp-toolkits/core/base'
import { expect } from 'vitest'
import type { Agent, Workspace } from './agent.ts'

export interface Job {
  /** Name in the table. */
  readonly name: string
  /** The wish, in the words of a person. */
  readonly wish: string
  readonly toolsets: readonly string[]
  /** Fewest calls with the tools of the peers, or the tool that they lack. */
  readonly peers: Peers
  /** Makes the workspace what the job needs besides the seed. */
  readonly prepare?: (vendor: Workspace) => Promise<void>
  readonly work: (agent: Agent) => Promise<void>
  /** Compares the state of the workspace with the wish. */
  readonly check: (vendor: Workspace, changesBefore: number) => Promise<void>
}

/** By the lists of their tools: @tacticlaunch/mcp-linear 1.4.3 and mcp-server-linear 1.6.0. */
type Peers = readonly [tacticlaunch: number | string, serverLinear: number | string]

const rows = (value: unknown): readonly JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : [])
const texts = (value: unknown, name: string) => rows(value).map((row) => String(row[name]))

/** The first row that has a word in one of its fields. */
function rowWith(value: unknown, name: string, word: string): JsonObject {
  const found = rows(value).find((row) => String(row[name]).includes(word))
  if (!found) throw new Error(`No row has ${word} in its ${name}.`)
  return found
}

/** Issues by a filter of Linear's, with what the jobs change. */
async function issuesIn({ ask }: Workspace, filter: string): Promise<readonly JsonObject[]> {
  const fields = 'identifier title priority state { name type } assignee { name } cycle { number } team { key } projectMilestone { name }'
  const query = `{ issues(first: 100, filter: { ${filter} }) { nodes { ${fields} comments { nodes { body } } } } }`
  return rows(member(member(await ask(query), 'issues'), 'nodes'))
}

const commentsOn = (issue: JsonObject | undefined) => texts(member(issue?.['comments'], 'nodes'), 'body')
const open = 'state: { type: { nin: ["completed", "canceled", "duplicate"] } }'

const bugs = [
  'Legend is cut off on small phones',
  'Export of a track has no header',
  'Sync shows the time of another zone',
  'The compass turns after a call',
  'Snow depth is shown in inches in Norway',
  'A shared pin keeps its old name',
  'The back button leaves the map',
  'Downloads stop when the screen locks',
  'Waypoints lose their colour in print',
]
const knownBug = 'Battery drains overnight while a pack is updating'

export const jobs: readonly Job[] = [
  {
    name: 'triage what came in',
    wish: 'Triage what came in for Operations: the backup is urgent and for Tomás Herrera, tickets of customers are for Ada Okonkwo. All go to Todo.',
    peers: [8, 'no tool that lists people or states'],
    toolsets: ['triage'],
    async work({ call }) {
      const { issues } = await call('SearchIssues', { team: 'Operations', states: ['triage'] })
      const decided = rows(issues).map(({ identifier, title }) =>
        String(title).includes('backup')
          ? { issue_id: identifier, priority: 'urgent', assignee: 'Tomás Herrera', state: 'Todo' }
          : { issue_id: identifier, assignee: 'Ada Okonkwo', state: 'Todo' },
      )
      const { updated } = await call('BatchUpdateIssues', { issues: decided })
      expect(updated).toBe(decided.length)
    },
    async check(vendor) {
      expect(await issuesIn(vendor, 'state: { type: { eq: "triage" } }')).toEqual([])
      const [backup] = await issuesIn(vendor, 'number: { eq: 14 }, team: { key: { eq: "OPS" } }')
      expect(backup).toMatchObject({ priority: 1, assignee: { name: 'Tomás Herrera' }, state: { name: 'Todo' } })
      expect(
        await issuesIn(
          vendor,
          'title: { startsWith: "Ticket" }, assignee: { name: { eq: "Ada Okonkwo" } }, state: { name: { eq: "Todo" } }',
        ),
      ).toHaveLength(3)
    },
  },
  {
    name: 'plan the next cycle',
    wish: 'Plan the next cycle of Engineering: every open bug that is in no cycle.',
    peers: [4, 'no tool for cycles'],
    toolsets: ['triage'],
    async work({ call }) {
      const { issues } = await call('SearchIssues', { team: 'Engineering', states: ['open'], labels: ['Bug'], limit: 50 })
      const unplanned = rows(issues).filter(({ cycle }) => cycle === undefined)
      await call('BatchUpdateIssues', { issues: unplanned.map(({ identifier }) => ({ issue_id: identifier, cycle: 'next' })) })
    },
    async check(vendor) {
      const openBugs = `${open}, team: { key: { eq: "ENG" } }, labels: { name: { eq: "Bug" } }`
      expect(await issuesIn(vendor, `${openBugs}, cycle: { null: true }`)).toEqual([])
      expect((await issuesIn(vendor, `${openBugs}, cycle: { number: { eq: 24 } }`)).length).toBeGreaterThan(0)
    },
  },
  {
    name: 'weekly report of a project',
    wish: 'Post the weekly report of Trails launch: what was done since 2026-11-13, and what blocks the launch. It stays at risk.',
    peers: [4, 'no tool for project updates'],
    toolsets: ['planning', 'triage'],
    async work({ call }) {
      const { project, health } = await call('ListProjectUpdates', { project: 'Trails launch', limit: 1 })
      const done = await call('SearchIssues', { project, states: ['completed'], updated_after: '2026-11-13' })
      const labels = rows((await call('ListLabels'))['labels'])
      const blocking = await call('SearchIssues', { project, states: ['open'], labels: [rowWith(labels, 'name', 'blocker')['name']] })
      const list = (value: unknown) => rows(value).map(({ identifier, title }) => `- ${String(identifier)} ${String(title)}`)
      const body = ['Done:', ...list(done['issues']), '', 'Blocks the launch:', ...list(blocking['issues'])].join('\n')
      await call('CreateProjectUpdate', { project_id: project, body, health })
    },
    async check({ ask }) {
      const update = rows(
        member(member(await ask('{ projectUpdates(first: 1) { nodes { body health project { name } } } }'), 'projectUpdates'), 'nodes'),
      )
      expect(update).toMatchObject([{ health: 'atRisk', project: { name: 'Trails launch' } }])
      expect(update[0]?.['body']).toMatch(/^Done:\n- [^]*Blocks the launch:\n[^]*ENG-19 [^]*ENG-9 /)
    },
  },
  {
    name: 'file ten bugs once each',
    wish: `File these ten bugs for Engineering, once each, and none that we have: ${[...bugs, knownBug].join('; ')}.`,
    peers: [21, 'no tool that lists labels'],
    toolsets: ['triage'],
    async work({ call }) {
      const wanted = [...bugs, knownBug].map((title) => ({ team: 'Engineering', title, labels_to_add: ['Bug'] }))
      const shown = await call('BatchCreateIssues', { issues: wanted, dry_run: true })
      const isNew = rows(shown['issues']).map(({ notices }) => !String(notices).includes('has the same title'))
      const { created } = await call('BatchCreateIssues', { issues: wanted.filter((_, index) => isNew[index]) })
      expect(created).toBe(bugs.length)
    },
    async check(vendor) {
      for (const title of [...bugs, knownBug]) expect(await issuesIn(vendor, `title: { eq: ${JSON.stringify(title)} }`)).toHaveLength(1)
    },
  },
  {
    name: 'what was decided, and the picture',
    wish: 'What did we decide on ENG-9, and where is the picture of it?',
    peers: ['no tool that reads a file', 'no tool that lists comments'],
    toolsets: ['attachments'],
    async prepare({ ask, upload }) {
      const bytes = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      )
      const place = await ask(
        'mutation { fileUpload(filename: "dialog.png", contentType: "image/png", size: 70) { uploadFile { uploadUrl assetUrl } } }',
      )
      const file = member(member(place, 'fileUpload'), 'uploadFile')
      await upload(String(member(file, 'uploadUrl')), 'image/png', bytes)
      const attach = 'mutation($input: AttachmentCreateInput!) { attachmentCreate(input: $input) { success } }'
      await ask(attach, { issueId: 'ENG-9', url: member(file, 'assetUrl'), title: 'Both versions.png' })
    },
    async work({ call, last }) {
      const { comments } = await call('ListComments', { issue: 'ENG-9' })
      expect(rowWith(comments, 'body', 'Decided')['body']).toContain('keep both, ask whoever opens the route next')
      const { attachments } = await call('ListAttachments', { issue: 'ENG-9' })
      const { title } = rowWith(attachments, 'kind', 'file')
      await call('ReadAttachment', { issue: 'ENG-9', attachment: title })
      expect(last().map(({ type }) => type)).toContain('image')
    },
    async check(vendor, before) {
      expect(await issuesIn(vendor, 'number: { eq: 9 }, team: { key: { eq: "ENG" } }')).toMatchObject([{ state: { name: 'In Review' } }])
      expect(vendor.changes()).toBe(before)
    },
  },
  {
    name: 'hand over a person’s issues',
    wish: 'Yara Costa is away: hand her open issues over to Ada Okafor.',
    peers: [6, 'no tool that lists people'],
    toolsets: ['triage'],
    async work({ call }) {
      const { issues } = await call('SearchIssues', { assignee: 'Yara Costa', states: ['open'], limit: 50 })
      await call('BatchUpdateIssues', { issues: rows(issues).map(({ identifier }) => ({ issue_id: identifier, assignee: 'Ada Okafor' })) })
    },
    async check(vendor) {
      expect(await issuesIn(vendor, `${open}, assignee: { name: { eq: "Yara Costa" } }`)).toEqual([])
      expect((await issuesIn(vendor, 'assignee: { name: { eq: "Yara Costa" } }')).length).toBeGreaterThan(0)
    },
  },
  {
    name: 'close a milestone',
    wish: 'Close the milestone Launch of Trails launch: what is open in it goes to a new milestone "After launch", due 2027-01-29.',
    peers: [19, 'no filter by project'],
    toolsets: ['planning', 'triage'],
    async work({ call }) {
      const { milestone } = await call('UpsertMilestone', { project: 'Trails launch', name: 'After launch', target_date: '2027-01-29' })
      const { issues } = await call('SearchIssues', { project: 'Trails launch', milestone: 'Launch', states: ['open'], limit: 50 })
      for (const issue of texts(issues, 'identifier')) await call('SetIssueMilestone', { issue, milestone: member(milestone, 'name') })
    },
    async check(vendor) {
      expect(await issuesIn(vendor, `${open}, projectMilestone: { name: { eq: "Launch" } }`)).toEqual([])
      expect((await issuesIn(vendor, 'projectMilestone: { name: { eq: "After launch" } }')).length).toBeGreaterThan(5)
    },
  },
  {
    name: 'move an issue to another team',
    wish: 'OPS-12 is for Engineering: move it there, and give it to Sam Idowu.',
    peers: [4, 'no tool that changes the team'],
    toolsets: ['triage'],
    async work({ call }) {
      await call('MoveIssueToTeam', { issue: 'OPS-12', team: 'Engineering', dry_run: true })
      const { issue } = await call('MoveIssueToTeam', { issue: 'OPS-12', team: 'Engineering' })
      await call('UpdateIssue', { issue_id: member(issue, 'identifier'), assignee: 'Sam Idowu' })
    },
    async check(vendor) {
      const moved = await issuesIn(vendor, 'title: { startsWith: "Ticket 2135" }')
      expect(moved).toMatchObject([{ team: { key: 'ENG' }, assignee: { name: 'Sam Idowu' } }])
    },
  },
  {
    name: 'find a duplicate before filing',
    wish: 'Packs crash while they are verified, on a Pixel 6. File it for Engineering unless we have it; if so, add my phone there.',
    peers: [2, 2],
    toolsets: ['triage'],
    async work({ call }) {
      const { issues } = await call('FindDuplicates', { title: 'Packs crash while they are verified' })
      const [best] = rows(issues)
      expect(Number(best?.['likeness'])).toBeGreaterThan(0.5)
      await call('AddComment', { issue: best?.['identifier'], body: 'Seen on a Pixel 6, too.' })
    },
    async check(vendor) {
      const [known, ...others] = await issuesIn(vendor, 'title: { containsIgnoreCase: "crash" }, state: { type: { nin: ["completed"] } }')
      expect([known?.['identifier'], others]).toEqual(['ENG-19', []])
      expect(commentsOn(known)).toContain('Seen on a Pixel 6, too.')
    },
  },
  {
    name: 'answer what a customer asked for',
    wish: 'Alpenpass Guides asked for something. Say on its issue that it comes in January.',
    peers: [3, 'no tool that lists requests'],
    toolsets: ['planning'],
    async prepare({ ask }) {
      const id = '7a4f2f0e-0000-4000-8000-000000000001'
      await ask('mutation($input: CustomerCreateInput!) { customerCreate(input: $input) { success } }', { id, name: 'Alpenpass Guides' })
      const need = 'mutation($input: CustomerNeedCreateInput!) { customerNeedCreate(input: $input) { success } }'
      await ask(need, { customerId: id, issueId: 'ENG-12', body: 'Search without signal.' })
    },
    async work({ call }) {
      const { customer_needs: needs } = await call('ListCustomerNeeds', { customer: 'Alpenpass Guides' })
      await call('AddComment', { issue: rows(needs)[0]?.['issue'], body: 'For Alpenpass Guides: this comes in January.' })
    },
    async check(vendor) {
      const [issue] = await issuesIn(vendor, 'number: { eq: 12 }, team: { key: { eq: "ENG" } }')
      expect(commentsOn(issue)).toContain('For Alpenpass Guides: this comes in January.')
    },
  },
  {
    name: 'add to a document',
    wish: 'Read the launch day checklist, and add a line at its end that says how many steps it has.',
    peers: [3, 'no tool for documents'],
    toolsets: ['planning'],
    async work({ call }) {
      const { documents } = await call('ListDocuments', { keywords: 'launch day' })
      const { slug_id: document } = rowWith(documents, 'title', 'checklist')
      const read = await call('GetDocument', { document })
      const steps = String(read['text']).match(/^(?:\d+\.|[-*]) /gm)?.length ?? 0
      await call('EditDescription', {
        document,
        action: 'append',
        text: `${steps} steps in all.`,
        expected_version: member(read['document'], 'updated_at'),
      })
    },
    async check({ ask }) {
      const data = await ask('{ documents(filter: { title: { eq: "Launch day checklist" } }) { nodes { content } } }')
      expect(texts(member(member(data, 'documents'), 'nodes'), 'content')).toEqual([expect.stringMatching(/\n\n[1-9]\d* steps in all\.$/)])
    },
  },
  {
    name: 'clean up stale issues',
    wish: 'Clean up Engineering: cancel what is in the backlog with low priority and was not touched since 2026-10-31.',
    peers: [5, 'no tool that lists states'],
    toolsets: ['triage'],
    async work({ call }) {
      const { issues } = await call('SearchIssues', {
        ...{ team: 'Engineering', states: ['backlog'], priorities: ['low'], updated_before: '2026-10-31', limit: 50 },
      })
      const { workflow_states: teams } = await call('ListWorkflowStates', { team: 'Engineering' })
      const { name: state } = rowWith(rows(teams)[0]?.['states'], 'type', 'canceled')
      const batch = { issues: texts(issues, 'identifier').map((issue) => ({ issue_id: issue, state })) }
      await call('BatchUpdateIssues', { ...batch, dry_run: true })
      await call('BatchUpdateIssues', batch)
    },
    async check(vendor) {
      const low = 'team: { key: { eq: "ENG" } }, priority: { eq: 4 }'
      expect((await issuesIn(vendor, `${low}, state: { type: { eq: "canceled" } }`)).length).toBeGreaterThan(1)
      expect(await issuesIn(vendor, `${low}, state: { type: { eq: "backlog" } }, updatedAt: { lt: "2026-11-01" }`)).toEqual([])
    },
  },
]

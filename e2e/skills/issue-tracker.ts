import { member } from '@mcp-toolkits/core/base'
import { expect } from 'vitest'
import { field, rows, rowWith } from '../agent.ts'
import { allRows, column, dayAgo, type Scripts } from './script.ts'

export const issueTrackerScripts: Scripts = {
  async 'triage-inbox'(agent) {
    const { call, aside } = agent
    const team = 'Operations'
    await aside('CreateIssue', { team, title: 'Nightly backup took 4 hours, not 50 minutes', state: 'Triage', assignee: 'none' })
    expect(rows(member((await call('WhoAmI', {}))['user'], 'teams')).length).toBeGreaterThan(1)
    const { workflow_states } = await call('ListWorkflowStates', { team })
    const { name: state } = rowWith(rows(workflow_states)[0]?.['states'], 'type', 'unstarted')
    const { name: label } = rowWith((await call('ListLabels', {}))['labels'], 'name', 'On-call')
    const inbox = await allRows(agent, 'SearchIssues', { team, states: ['triage'] }, 'issues')
    expect(inbox).toHaveLength(5)
    const { identifier: newer, title } = rowWith(inbox, 'title', 'Nightly backup')
    await call('GetIssue', { issue_id: newer })
    const { issues: alike } = await call('FindDuplicates', { title, team })
    const { identifier: older } = rowWith(alike, 'title', 'nightly backup')
    const agreed = inbox.filter(({ identifier }) => identifier !== newer)
    const issues = agreed.map(({ identifier }) => ({ issue_id: identifier, priority: 'high', state, labels_to_add: [label] }))
    await call('BatchUpdateIssues', { issues, dry_run: true })
    expect(column((await aside('SearchIssues', { team, states: ['triage'] }))['issues'], 'identifier')).toHaveLength(5)
    await call('BatchUpdateIssues', { issues })
    await call('CreateIssueRelation', { issue: newer, related_issue: older, relation_type: 'duplicate' })
    expect((await aside('SearchIssues', { team, states: ['triage'] }))['issues']).toEqual([])
    const sorted = await aside('ListIssues', { team, state, label, priority: 'high' })
    expect(column(sorted['issues'], 'identifier')).toEqual(column(agreed, 'identifier'))
    expect(field(await aside('GetIssue', { issue_id: newer }), 'issue', 'state', 'type')).toBe('duplicate')
  },

  async 'plan-cycle'(agent) {
    const { call, aside } = agent
    const { key: team } = rowWith((await call('ListTeams', {}))['teams'], 'name', 'Engineering')
    const cycles = await allRows(agent, 'ListCycles', { team, include_completed: true }, 'cycles')
    for (const { id } of cycles.filter(({ status }) => status !== 'future')) await call('GetCycle', { cycle_id: id })
    const candidates = [
      ...(await allRows(agent, 'ListIssues', { team, state: 'unstarted' }, 'issues')),
      ...(await allRows(agent, 'ListIssues', { team, state: 'backlog' }, 'issues')),
    ].filter(({ cycle }) => cycle === undefined)
    const proposed = candidates.filter(({ priority }) => priority === 'medium')
    for (const { identifier } of proposed) {
      const read = await call('GetIssue', { issue_id: identifier, include_relations: true })
      expect(field(read, 'issue', 'relations', 'blocked_by')).toBe('undefined')
    }
    for (const { identifier } of proposed) await call('UpdateIssue', { issue_id: identifier, cycle: 'next' })
    const { id: next } = rowWith(cycles, 'status', 'next')
    const planned = column(member((await call('GetCycle', { cycle_id: next }))['cycle'], 'issues'), 'identifier')
    expect(planned).toEqual([...column(proposed, 'identifier'), 'ENG-33'].toSorted())
    const { id: current } = rowWith(cycles, 'status', 'current')
    expect(column(member((await aside('GetCycle', { cycle_id: current }))['cycle'], 'issues'), 'identifier')).toContain('ENG-7')
  },

  async 'weekly-project-report'(agent) {
    const { call, aside } = agent
    const { name: project } = rowWith((await call('ListProjects', { state: 'active' }))['projects'], 'name', 'Sync reliability')
    const read = await call('GetProject', { value: project, lookup_by: 'name', include_milestones: true })
    const [last] = rows(member(read['project'], 'project_updates'))
    const since = field(last, 'created_at')
    const closed = await allRows(agent, 'ListIssues', { project, state: 'closed' }, 'issues')
    const dated = await Promise.all(closed.map(async ({ identifier }) => call('GetIssue', { issue_id: identifier })))
    const done = dated.filter((answer) => field(answer, 'issue', 'completed_at') > since)
    const started = await allRows(agent, 'ListIssues', { project, state: 'started' }, 'issues')
    const urgent = await allRows(agent, 'ListIssues', { project, priority: 'urgent' }, 'issues')
    for (const { identifier } of urgent) await call('GetIssue', { issue_id: identifier, include_comments: true, include_relations: true })
    const names = (issues: readonly unknown[]) => issues.join(', ') || 'nothing'
    const body = `**Done:** ${names(done.map((answer) => field(answer, 'issue', 'identifier')))}. **Under way:** ${names(column(started, 'identifier'))}.`
    await call('CreateProjectUpdate', { project_id: member(read['project'], 'slug_id'), body, health: 'onTrack' })
    const after = await aside('GetProject', { value: project, lookup_by: 'name' })
    expect(rows(member(after['project'], 'project_updates')).filter((update) => update['body'] === body)).toHaveLength(1)
    expect(body).toContain('OPS-3')
  },

  async 'file-bugs'({ call, aside }) {
    const bugs = ['Legend is cut off on small phones', 'Export of a route has no header', 'Dark map style washes out the glaciers']
    const { key: team } = rowWith((await call('ListTeams', {}))['teams'], 'name', 'Engineering')
    const { name: label } = rowWith((await call('ListLabels', {}))['labels'], 'name', 'Bug')
    const alike = await Promise.all(bugs.map(async (title) => rows((await call('FindDuplicates', { title, team }))['issues'])[0]))
    const glaciers = alike[2]?.['identifier']
    expect(field(await call('GetIssue', { issue_id: glaciers }), 'issue', 'title')).toContain('glaciers')
    const before = await call('ListIssues', { team, keywords: 'export header', state: 'closed' })
    expect(before['issues']).toEqual([])
    const issues = bugs.slice(0, 2).map((title) => ({ team, title, labels_to_add: [label], assignee: 'none' }))
    await call('BatchCreateIssues', { issues, dry_run: true })
    await call('BatchCreateIssues', { issues })
    await call('AddComment', { issue: glaciers, body: 'Also on tablets.' })
    for (const { title } of issues) {
      const found = rows((await aside('ListIssues', { keywords: title }))['issues'])
      expect(found).toEqual([expect.objectContaining({ title, labels: [label] })])
      expect(found[0]).not.toHaveProperty('assignee')
    }
    expect(column((await aside('ListIssues', { team, keywords: 'glaciers' }))['issues'], 'identifier')).toEqual([glaciers])
    expect(rows((await aside('ListComments', { issue: glaciers }))['comments'])[0]).toMatchObject({ body: 'Also on tablets.' })
  },

  async 'find-decision'(agent) {
    const { call } = agent
    const { identifier: issue } = rowWith((await call('ListIssues', { keywords: 'privacy stores' }))['issues'], 'title', 'privacy')
    const read = await call('GetIssue', {
      issue_id: issue,
      include_comments: true,
      include_attachments: true,
      include_relations: true,
    })
    const comments = await allRows(agent, 'ListComments', { issue }, 'comments')
    expect(column(comments, 'id')).toEqual(column(member(read['issue'], 'comments'), 'id'))
    const { title: attachment } = rowWith((await call('ListAttachments', { issue }))['attachments'], 'kind', 'file')
    const { text } = await call('ReadAttachment', { issue, attachment })
    expect(text).toContain('How long is it stored?,both,30 days')
    expect(rowWith(comments, 'body', 'lawyer agrees')).toMatchObject({ user: 'Ines Carvalho' })
  },

  async 'hand-over-issues'(agent) {
    const { call, aside } = agent
    const [from, to] = ['Sam Idowu', 'Yara Costa']
    const own = await allRows(agent, 'ListIssues', { assignee: from, state: 'open', limit: 5 }, 'issues')
    const teams = [...new Set(own.map(({ identifier }) => String(identifier).replace(/-.*/, '')))]
    expect(teams).toEqual(['ENG'])
    const { team } = await call('GetTeam', { value: teams[0], lookup_by: 'key' })
    expect(column(member(team, 'members'), 'name')).toContain(to)
    const started = own.filter(({ state }) => state === 'In Progress')
    const held = rows((await aside('ListIssues', { assignee: to, state: 'open' }))['issues'])
    for (const { identifier } of started) await call('GetIssue', { issue_id: identifier, include_comments: true, include_relations: true })
    for (const { identifier } of own) await call('UpdateIssue', { issue_id: identifier, assignee: to })
    for (const { identifier } of started) await call('AddComment', { issue: identifier, body: `${to} takes this over from ${from}.` })
    expect((await call('ListIssues', { assignee: from, state: 'open' }))['issues']).toEqual([])
    const after = rows((await aside('ListIssues', { assignee: to, state: 'open' }))['issues'])
    expect(column(after, 'identifier')).toEqual(column([...held, ...own], 'identifier'))
    const moved = rowWith(after, 'identifier', 'ENG-13')
    expect(moved).toEqual({ ...rowWith(own, 'identifier', 'ENG-13'), assignee: to, updated_at: moved['updated_at'] })
  },

  async 'clean-up-stale-issues'(agent) {
    const { call, aside } = agent
    const team = 'Engineering'
    const { workflow_states } = await call('ListWorkflowStates', { team, state_type: 'canceled' })
    const state = rows(rows(workflow_states)[0]?.['states'])[0]?.['name']
    const search = { team, states: ['backlog', 'unstarted'], updated_before: dayAgo(20) }
    const stale = await allRows(agent, 'SearchIssues', search, 'issues')
    const reads = await Promise.all(
      stale.map(async ({ identifier }) => call('GetIssue', { issue_id: identifier, include_comments: true, include_relations: true })),
    )
    const isCustomers = (issue: unknown) => column(member(issue, 'labels'), 'name').includes('Customer request')
    const others = reads.map(({ issue }) => issue).filter((issue) => !isCustomers(issue))
    const named = (issues: readonly unknown[]) => issues.map((issue) => field(issue, 'identifier'))
    const asked = named(others.filter((issue) => member(issue, 'assignee') !== undefined))
    const closed = named(others.filter((issue) => member(issue, 'assignee') === undefined))
    expect({ asked, closed }).toEqual({ asked: ['ENG-35'], closed: ['ENG-29'] })
    const issues = closed.map((issue_id) => ({ issue_id, state }))
    await call('BatchUpdateIssues', { issues, dry_run: true })
    await call('BatchUpdateIssues', { issues })
    await call('AddComment', { issue: asked[0], body: 'Do we still want this?' })
    expect(column((await aside('SearchIssues', search))['issues'], 'identifier')).toEqual(['ENG-24', 'ENG-35'])
    expect(field(await aside('GetIssue', { issue_id: closed[0] }), 'issue', 'state', 'name')).toBe(state)
    expect(field(await aside('GetIssue', { issue_id: asked[0] }), 'issue', 'state', 'type')).toBe('unstarted')
  },

  async 'catch-up'(agent) {
    const { call, aside } = agent
    const { user } = await call('WhoAmI', {})
    const news = await allRows(agent, 'GetNotifications', { unread_only: true }, 'notifications')
    const own = await allRows(agent, 'ListIssues', { assignee: '@me', state: 'open' }, 'issues')
    await call('GetRecentActivity', { days: 7 })
    const { issue } = rowWith(news, 'issue', 'ENG-21')
    const { identifier } = rowWith(own, 'identifier', String(issue).split(' ')[0] ?? '')
    const question = rows((await call('ListComments', { issue: identifier }))['comments'])[0]
    expect(question).toMatchObject({ user: 'Ines Carvalho' })
    const relations = await call('GetIssue', { issue_id: identifier, include_relations: true })
    expect(rows(member(member(relations['issue'], 'relations'), 'blocks'))[0]).toMatchObject({ identifier: 'ENG-20' })
    const body = 'The sentence is in: 30 days.'
    await call('ReplyToComment', { issue: identifier, parent_comment_id: question?.['id'], body })
    const { comments } = await aside('ListComments', { issue: identifier })
    expect(rows(comments).filter((comment) => comment['parent_id'] === question?.['id'])).toEqual([
      expect.objectContaining({ body, user: member(user, 'name') }),
    ])
    expect(rows((await aside('GetNotifications', { unread_only: true }))['notifications'])).toHaveLength(news.length)
  },
}

import { dig, textAt } from '@mcp-toolkits/emulator/testing'
import { describe, expect, it } from 'vitest'
import { idOf } from '../src/ids.ts'
import { costs } from './costs.ts'
import { documentOf, documents } from './documents.ts'
import { covers, openEmulator } from './emulator.ts'

const flags = {
  comments: true,
  attachments: true,
  relations: true,
  children: true,
  milestones: true,
  members: true,
  issues: true,
  projects: true,
}

/** Queries with their variables, and a path to the data they return. */
const reads: readonly (readonly [name: string, variables: object, path: string, value: unknown])[] = [
  ['WhoAmI', {}, 'viewer.teams.nodes.0.key', 'DES'],
  ['GetRecentActivity', { first: 50, since: '-P30D' }, 'issues.nodes.0.identifier', 'ENG-1'],
  ['GetNotifications', { first: 50 }, 'notifications.edges.0.node.type', 'issueAssignedToYou'],
  ['GetInbox', { first: 50, unreadOnly: true }, 'inboxNotifications.edges.0.node.issue.identifier', 'ENG-1'],
  ['GetTeam', { filter: { name: { eqIgnoreCase: 'ENGINEERING' } } }, 'exact.nodes.0.activeCycle.number', 3],
  ['ListTeams', { first: 50, includeArchived: false }, 'teams.nodes.0.key', 'DES'],
  ['ListIssues', { first: 50, checkTeam: true, filter: { title: { startsWith: 'Crash' } } }, 'issues.nodes.0.identifier', 'ENG-11'],
  ['GetIssue', { id: 'eng-1', ...flags }, 'issue.inverseRelations.nodes.0.issue.identifier', 'ENG-26'],
  ['ListComments', { id: 'OPS-4', first: 50 }, 'issue.comments.nodes.0.user.name', 'Robin Vance'],
  ['GetProject', { filter: { name: { eqIgnoreCase: 'apollo' } }, ...flags }, 'exact.nodes.0.lastUpdate.body', 'Going well.'],
  ['ProjectCandidates', {}, 'projects.nodes.0.name', 'Billing rewrite'],
  ['ListProjects', { first: 50, filter: { status: { type: { eq: 'paused' } } } }, 'projects.nodes.0.name', 'Design system'],
  [
    'GetInitiative',
    { filter: { name: { eqIgnoreCase: 'reliability' } }, projects: true },
    'exact.nodes.0.projects.nodes.0.name',
    'Incident tooling',
  ],
  ['ListInitiatives', { first: 50, filter: { status: { eq: 'Active' } } }, 'initiatives.nodes.0.name', 'Self-serve growth'],
  ['ListCycles', { first: 50, filter: { isNext: { eq: true } }, team: {}, checkTeam: true }, 'cycles.nodes.0.number', 4],
  ['ListLabels', { first: 100 }, 'issueLabels.nodes.0.team.key', 'DES'],
  ['ListWorkflowStates', { first: 100, filter: { type: { eq: 'triage' } } }, 'workflowStates.nodes.0.team.key', 'OPS'],
  ['RateLimit', {}, 'rateLimitStatus.limits.0.allowedAmount', 2500],
]

/** Includes every part of a document that resolves names. */
const all = Object.fromEntries(
  ['Team', 'Teams', 'Lead', 'State', 'Assignee', 'Labels', 'Project', 'Cycle', 'Attachment', 'Parent'].map((name) => [`has${name}`, true]),
)

const byName = (name: string) => ({ name: { eqIgnoreCase: name } })

const resolves: readonly (readonly [name: string, variables: object, path: string, value: unknown])[] = [
  [
    'CreateIssueSuggest',
    { teamId: idOf('Team Design'), wantMembers: true, wantLabels: true, wantProjects: true, wantCycles: true, wantTeams: true },
    'team.labels.nodes.0.name',
    'Research',
  ],
  ['UpdateIssueResolve', { id: 'ENG-1', labels: byName('bug'), cycle: { isNext: { eq: true } } }, 'issue.team.cycles.nodes.0.number', 4],
  [
    'UpdateIssueResolveSlim',
    { id: 'ENG-1', attachment: { url: { contains: '412' } } },
    'issue.attachments.nodes.0.title',
    'PR #412: lodestar/web',
  ],
  [
    'CreateIssueRelationResolve',
    { source: 'ENG-1', related: idOf('Issue ENG-2') },
    'source.relations.nodes.0.relatedIssue.id',
    idOf('Issue ENG-2'),
  ],
  ['CreateProjectResolve', { team: byName('design'), lead: byName('priya nair') }, 'lead.nodes.0.displayName', 'priya.nair'],
  ['UpdateProjectResolve', { id: idOf('Project Apollo'), teams: byName('design') }, 'organization.projectStatuses.0.type', 'backlog'],
  [
    'AddProjectToInitiativeResolve',
    { initiative: byName('reliability'), project: byName('apollo') },
    'project.nodes.0.initiativeToProjects.nodes.0.initiative.name',
    'Self-serve growth',
  ],
  [
    'LinkCodeHostResolve',
    { id: 'ENG-8', url: 'https://github.com/lodestar/web/issues/77' },
    'issue.attachments.nodes.0.sourceType',
    'github',
  ],
]

describe('the documents', () => {
  it.each(reads)('%s returns its data at the expected cost', covers('limits/complexity'), async (...[name, variables, path, value]) => {
    const { ask } = openEmulator()
    const { status, data, errors, headers } = await ask(documentOf(name), { ...variables })
    expect([status, errors]).toEqual([200, []])
    expect(dig(data, path)).toEqual(value)
    expect(headers.get('x-complexity')).toBe(String(costs[name] ?? costs['GetNotifications']))
  })

  it('read entities by id', async () => {
    const { ask } = openEmulator()
    const found = new Map<string, string>()
    const { data } = await ask(
      '{ cycles { nodes { id } } projects { nodes { id slugId } } initiatives { nodes { id } } comments { nodes { id } } }',
    )
    found.set('GetCycle', textAt(data, 'cycles.nodes.0.id'))
    found.set('GetProjectById', textAt(data, 'projects.nodes.0.slugId'))
    found.set('GetProjectDescription', textAt(data, 'projects.nodes.0.id'))
    found.set('GetInitiativeDescription', textAt(data, 'initiatives.nodes.0.id'))
    found.set('TransitionResolve', 'OPS-4')
    found.set('ProjectUpdateResolve', textAt(data, 'projects.nodes.0.id'))
    for (const [name, id] of found) {
      const response = await ask(documentOf(name), { id, ...flags })
      expect([name, response.errors]).toEqual([name, []])
      expect(response.headers.get('x-complexity')).toBe(String(costs[name]))
    }
    const reply = await ask(documentOf('ReplyResolve'), { commentId: textAt(data, 'comments.nodes.0.id') })
    expect(textAt(reply.data, 'comment.issue.identifier')).toBe('DES-4')
  })

  it('resolve names for a create in one request', async () => {
    const { ask } = openEmulator()
    const name = (value: string) => ({ name: { eqIgnoreCase: value } })
    const variables = {
      team: { or: [{ key: { eqIgnoreCase: 'eng' } }, name('eng')] },
      hasAssignee: true,
      assignee: { active: { eq: true }, or: [{ email: { eqIgnoreCase: 'mikael lindström' } }, name('MIKAEL LINDSTRÖM')] },
      hasLabels: true,
      labels: { or: [name('bug'), { ...name('cleanup'), parent: name('QA') }] },
      hasState: true,
      hasProject: true,
      project: { or: [name('apollo'), { slugId: { eq: 'apollo' } }] },
      hasCycle: true,
      cycle: { isActive: { eq: true } },
      hasParent: true,
      parent: { team: { key: { eqIgnoreCase: 'eng' } }, number: { eq: 4 } },
    }
    for (const document of ['CreateIssueResolveSlim', 'CreateIssueResolve']) {
      const { data, headers, errors } = await ask(documentOf(document), variables)
      expect(errors).toEqual([])
      expect(data).toMatchObject({
        team: {
          nodes: [
            {
              key: 'ENG',
              assignee: { nodes: [{ name: 'Mikael Lindström' }] },
              labels: { nodes: [{ name: 'cleanup', parent: { name: 'qa' } }] },
              cycles: { nodes: [{ number: 3 }] },
              projects: { nodes: [{ name: 'Apollo' }] },
            },
          ],
        },
        organization: { labels: { nodes: [{ name: 'Bug' }] } },
        parent: { nodes: [{ identifier: 'ENG-4' }] },
      })
      expect(headers.get('x-complexity')).toBe(String(costs[document]))
    }
  })

  it.each(resolves)('%s returns what a mutation needs', async (...[name, variables, path, value]) => {
    const { data, errors, headers } = await openEmulator().ask(documentOf(name), { ...all, ...variables })
    expect(errors).toEqual([])
    expect(dig(data, path)).toEqual(value)
    expect(headers.get('x-complexity')).toBe(String(costs[name]))
  })

  it('are complete', () => {
    expect(documents.size).toBe(58)
    expect(Object.keys(costs).filter((name) => !documents.has(name))).toEqual([])
  })
})

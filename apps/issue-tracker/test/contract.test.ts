import { contract, dataDirectoryContract } from '@mcp-toolkits/testing'
import { expect } from 'vitest'
import { issueTracker } from '../src/server.ts'

const read = [true, false, true, true] as const
const create = [false, false, false, true] as const
const update = [false, false, true, true] as const
const archive = [false, true, true, true] as const

contract(issueTracker, {
  // read-only, destructive, idempotent, open world
  hints: {
    'IssueTracker.WhoAmI': read,
    'IssueTracker.GetNotifications': read,
    'IssueTracker.GetRecentActivity': read,
    'IssueTracker.GetTeam': read,
    'IssueTracker.ListTeams': read,
    'IssueTracker.ListIssues': read,
    'IssueTracker.GetIssue': read,
    'IssueTracker.ListComments': read,
    'IssueTracker.GetProject': read,
    'IssueTracker.ListProjects': read,
    'IssueTracker.GetProjectDescription': read,
    'IssueTracker.GetInitiative': read,
    'IssueTracker.ListInitiatives': read,
    'IssueTracker.GetInitiativeDescription': read,
    'IssueTracker.GetCycle': read,
    'IssueTracker.ListCycles': read,
    'IssueTracker.ListLabels': read,
    'IssueTracker.ListWorkflowStates': read,
    'IssueTracker.CreateIssue': create,
    'IssueTracker.UpdateIssue': update,
    'IssueTracker.TransitionIssueState': update,
    'IssueTracker.CreateIssueRelation': update,
    'IssueTracker.ManageIssueSubscription': update,
    'IssueTracker.ArchiveIssue': archive,
    'IssueTracker.AddComment': create,
    'IssueTracker.UpdateComment': update,
    'IssueTracker.ReplyToComment': create,
    'IssueTracker.CreateProject': create,
    'IssueTracker.UpdateProject': update,
    'IssueTracker.CreateProjectUpdate': create,
    'IssueTracker.ArchiveProject': archive,
    'IssueTracker.CreateInitiative': create,
    'IssueTracker.UpdateInitiative': update,
    'IssueTracker.AddProjectToInitiative': update,
    'IssueTracker.ArchiveInitiative': archive,
    'IssueTracker.LinkCodeHostToIssue': update,
  },
})

dataDirectoryContract(issueTracker, {
  database: 'linear.db',
  write: (server) => server.call('IssueTracker.CreateIssue', { team: 'Engineering', title: 'Locked' }),
  whileLocked: {
    async write(server) {
      const error = await server.fails('IssueTracker.CreateIssue', { team: 'Engineering', title: 'Locked' })
      expect(error).toMatchObject({ code: 'unavailable', retryable: true })
      expect(error.message).toMatch(/^Another process has kept .*linear\.db locked for 5 seconds\. Try again in a moment\.$/)
    },
    read: (server) => server.call('IssueTracker.ListIssues'),
  },
})

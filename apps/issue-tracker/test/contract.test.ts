import { contract } from '@mcp-toolkits/testing'
import { issueTracker } from '../src/server.ts'

const read = [true, false, true, true] as const

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
  },
})

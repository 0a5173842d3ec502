import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import type { Args } from './calls.ts'
import { textWith } from './matching.ts'
import { workspace } from './workspace.ts'

/** A call of every tool that can accept a fuzzy match, with a misspelt name. */
const calls: Readonly<Record<string, readonly [args: Args, matched: string]>> = {
  GetTeam: [{ value: 'Enginering', lookup_by: 'name' }, '"Enginering" (value) was taken to mean "Engineering"'],
  CreateIssue: [{ team: 'ENG', title: 'x', project: 'Biling rewrite' }, '"Biling rewrite" (project) was taken to mean "Billing rewrite"'],
  UpdateIssue: [{ issue_id: 'ENG-1', labels_to_add: ['Securty'] }, '"Securty" (labels_to_add) was taken to mean "Security"'],
  TransitionIssueState: [{ issue_id: 'ENG-1', target_state: 'In Progres' }, '"In Progres" (target_state) was taken to mean "In Progress"'],
  GetProject: [{ value: 'Biling rewrite', lookup_by: 'name' }, '"Biling rewrite" (value) was taken to mean "Billing rewrite"'],
  CreateProject: [{ name: 'x', team: 'ENG', lead: 'Ada Okafr' }, '"Ada Okafr" (lead) was taken to mean "Ada Okafor"'],
  UpdateProject: [
    { project_id: 'Incident tooling', teams_to_add: ['Enginering'] },
    '"Enginering" (teams_to_add) was taken to mean "Engineering"',
  ],
  ArchiveProject: [{ project: 'Biling rewrite' }, '"Biling rewrite" (project) was taken to mean "Billing rewrite"'],
  GetInitiative: [{ value: 'Relability', lookup_by: 'name' }, '"Relability" (value) was taken to mean "Reliability"'],
  AddProjectToInitiative: [{ initiative: 'Relability', project: 'Apollo' }, '"Relability" (initiative) was taken to mean "Reliability"'],
  ArchiveInitiative: [{ initiative: 'Relability' }, '"Relability" (initiative) was taken to mean "Reliability"'],
}

test('has a call for every tool that can accept a fuzzy match', async () => {
  const accepting = (await issueTracker.load.tools()).filter(({ input }) => 'auto_accept_matches' in input.shape)
  expect(Object.keys(calls).toSorted()).toEqual(accepting.map(({ name }) => name).toSorted())
})

test.for(Object.entries(calls))(
  '%s accepts a fuzzy match only when allowed, and says which name it took',
  async ([tool, [args, matched]]) => {
    await using server = await workspace()
    expect((await server.fails(`IssueTracker.${tool}`, args)).code).toBe('not_found')
    expect(server.emulator.store.mutations()).toEqual([])
    const { notices } = await server.call(`IssueTracker.${tool}`, { ...args, auto_accept_matches: true })
    expect(notices).toContainEqual(textWith(matched))
  },
)

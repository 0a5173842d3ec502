import { expect, test } from 'vitest'
import { issueTracker } from '../src/server.ts'
import { forExamples } from './calls.ts'
import { misbehaving, parsed } from './misbehaving.ts'
import { workspace } from './workspace.ts'

const page = (kind: string, reference: string) => `https://linear.app/lodestar/${kind}/${reference}`
const issue = { tool: 'IssueTracker_GetIssue', arguments: { issue_id: 'ENG-9' } }

test.for([
  ['GetProject', 'value', 'ENG-9', issue],
  ['GetProject', 'value', '"eng-9"', { ...issue, arguments: { issue_id: 'eng-9' } }],
  ['GetInitiative', 'value', 'ENG-9', issue],
  ['GetTeam', 'value', 'ENG-9', issue],
  ['GetProjectDescription', 'project_id', 'ENG-9', issue],
  ['GetInitiativeDescription', 'initiative_id', 'ENG-9', issue],
  ['GetCycle', 'cycle_id', 'ENG-9', issue],
  ['ArchiveProject', 'project', 'ENG-9', issue],
  ['ArchiveInitiative', 'initiative', 'ENG-9', issue],
  ['GetProject', 'value', page('issue', 'ENG-9/title'), { ...issue, arguments: { issue_id: page('issue', 'ENG-9/title') } }],
  ...['GetIssue.issue_id', 'ListComments.issue', 'GetInitiative.value', 'GetCycle.cycle_id', 'GetTeam.value'].map((target) => {
    const [tool = '', parameter = ''] = target.split('.')
    const url = page('project', 'apollo-1a2b3c4d5e6f')
    return [tool, parameter, url, { tool: 'IssueTracker_GetProject', arguments: { value: url } }] as const
  }),
  [
    'ListComments',
    'issue',
    page('team', 'ENG/cycle/3'),
    { tool: 'IssueTracker_GetCycle', arguments: { cycle_id: page('team', 'ENG/cycle/3') } },
  ],
  ['GetProject', 'value', page('team', 'ENG'), { tool: 'IssueTracker_GetTeam', arguments: { value: page('team', 'ENG') } }],
  [
    'GetProject',
    'value',
    page('initiative', 'growth-1a2b3c4d5e6f'),
    { tool: 'IssueTracker_GetInitiative', arguments: { value: page('initiative', 'growth-1a2b3c4d5e6f') } },
  ],
] as const)('%s %s %j leads to the tool that reads it', async ([tool, parameter, reference, next]) => {
  await using server = await workspace()
  const error = await server.fails(`IssueTracker.${tool}`, { [parameter]: reference })
  expect(error.next).toEqual(next)
  expect(error.suggestions).toBeUndefined()
  expect(server.emulator.store.mutations()).toEqual([])
})

test('finds a project whose name looks like an identifier', async () => {
  await using server = await workspace()
  await server.call('IssueTracker.CreateProject', { name: 'Q4-2027', team: 'ENG' })
  expect(await server.call('IssueTracker.GetProject', { value: 'Q4-2027', lookup_by: 'name' })).toMatchObject({
    project: { name: 'Q4-2027' },
  })
  // The call has another fault, which is not about the name.
  for (const [tool, args] of [
    ['GetProjectDescription', { project_id: 'Q4-2027', offset: 99 }],
    ['UpdateProject', { project_id: 'Q4-2027' }],
  ] as const)
    expect((await server.fails(`IssueTracker.${tool}`, args)).message).not.toContain('matches')
})

const aboutIssues = (await issueTracker.load.tools()).flatMap(({ name, input, example }) => {
  const parameter = ['issue_id', 'issue'].find((each) => each in input.shape)
  return parameter === undefined || name === 'ReplyToComment' ? [] : [{ name, args: { ...example, [parameter]: 'ENG-28' } }]
})

test.for(aboutIssues)('$name finds an issue that Linear finds only by a filter, and acts once', async ({ name, args }) => {
  await using server = await misbehaving({}, forExamples)
  const before = server.emulator.store.comments().length
  server.vendor = async (request) => {
    const { variables = {} }: { variables?: object } = Object.assign({}, parsed(await request.clone().text()))
    const { id, issueId, input } = Object.assign({ id: '', issueId: '', input: {} }, variables)
    const asked = [id, issueId, Object.assign({ issueId: '' }, input).issueId]
    if (!asked.includes('ENG-28')) return server.emulator.fetch(request)
    return Response.json({
      data: null,
      errors: [{ message: 'Entity not found: Issue', path: ['issue'], extensions: { code: 'INPUT_ERROR' } }],
    })
  }
  const { isError, content } = await server.result(`IssueTracker.${name}`, args)
  expect(isError === true ? JSON.stringify(content) : '').toBe('')
  expect(server.emulator.store.comments().length - before).toBe(name === 'AddComment' ? 1 : 0)
})

test('an issue that no filter finds is not found, and those of other teams are suggested', async () => {
  await using server = await workspace()
  const error = await server.fails('IssueTracker.GetIssue', { issue_id: 'EGN-9' })
  expect(error).toMatchObject({ code: 'not_found', suggestions: [{ value: 'ENG-9' }, {}, {}] })
})

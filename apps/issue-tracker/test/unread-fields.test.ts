import { isObject, member } from '@mcp-toolkits/core/base'
import { expect, test } from 'vitest'
import { misbehaving, type Misbehaving, parsed } from './misbehaving.ts'
import { textTools } from './text-tools.ts'
import { unknowing } from './unknown-fields.ts'

/* Linear leaves a field out, along with an error or because it does not know the field. A missing field is neither empty nor unchanged. */

const texts = ['description', 'content', 'body']
const answerOf = async (server: Misbehaving, request: Request) => parsed(await (await server.emulator.fetch(request)).text())

/** A response without its records' texts, or with nulls in their place. */
function withoutTexts(value: unknown, isNull: boolean): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutTexts(each, isNull))
  if (!isObject(value)) return value
  const members = Object.entries(value).flatMap(([name, each]): [string, unknown][] => {
    if (!texts.includes(name)) return [[name, withoutTexts(each, isNull)]]
    return isNull ? [[name, null]] : []
  })
  return Object.fromEntries(members)
}

/** Ways in which a response may lack its records' texts. */
const lacks: Readonly<Record<string, (server: Misbehaving) => Promise<(request: Request) => Promise<Response>>>> = {
  'left out': (server) => Promise.resolve(async (request) => Response.json(withoutTexts(await answerOf(server, request), false))),
  'null beside an error': (server) =>
    Promise.resolve(async (request) => {
      const data = withoutTexts(member(await answerOf(server, request), 'data'), true)
      return Response.json({ data, errors: [{ message: 'Timed out', path: ['issue', 'description'] }] })
    }),
  unknown: async (server) =>
    unknowing(server, ['Issue.description', 'Project.content', 'Project.description', 'Initiative.content', 'Comment.body']),
}
const cases = Object.entries(textTools).flatMap(([tool, callOf]) => Object.keys(lacks).map((lack) => [tool, lack, callOf] as const))

test.for(cases)('%s does not replace a text that is %s', async ([tool, lack, callOf]) => {
  await using server = await misbehaving()
  const [parameter, target] = callOf(server)
  const changes = server.emulator.store.mutations().length
  server.vendor = await lacks[lack]?.(server)
  const error = await server.fails(`IssueTracker.${tool}`, { ...target, [parameter]: 'Another text.' })
  expect(error).toMatchObject({ code: 'unavailable', retryable: lack !== 'unknown' })
  expect(error.message.includes('Try again')).toBe(lack !== 'unknown')
  expect(error.message).toMatch(new RegExp(`leaves out the current ${parameter}.*nothing was changed`))
  expect(server.emulator.store.mutations().length).toBe(changes)
})

test.for(Object.keys(lacks))('UpdateIssue replaces a text that is %s if the call names it in fields_to_clear', async (lack) => {
  await using server = await misbehaving()
  server.vendor = await lacks[lack]?.(server)
  const { notices } = await server.call('IssueTracker.UpdateIssue', {
    ...{ issue_id: 'ENG-9', description: 'Another text.', fields_to_clear: ['description'] },
  })
  expect(String(notices)).toContain('leaves out description, which cannot be confirmed')
  expect(server.emulator.store.issues().find(({ identifier }) => identifier === 'ENG-9')).toMatchObject({ description: 'Another text.' })
})

test('an empty text is replaced without a notice', async () => {
  await using server = await misbehaving()
  const issue = { issue_id: 'ENG-9', description: 'A text.' }
  await server.call('IssueTracker.UpdateIssue', { issue_id: 'ENG-9', fields_to_clear: ['description'] })
  expect(await server.call('IssueTracker.UpdateIssue', issue)).not.toHaveProperty('notices')
})

test.for([
  ['UpdateIssue', { issue_id: 'ENG-9', due_date: '2027-01-31' }, 'Issue.dueDate', 'due_date'],
  ['UpdateIssue', { issue_id: 'ENG-9', fields_to_clear: ['assignee'] }, 'Issue.assignee', 'assignee'],
  ['CreateIssue', { team: 'ENG', title: 'x', estimate: 3 }, 'Issue.estimate', 'estimate'],
  ['UpdateProject', { project_id: 'Apollo', target_date: '2028-01-31' }, 'Project.targetDate', 'target_date'],
  ['UpdateInitiative', { initiative_id: 'Reliability', target_date: '2028-01-31' }, 'Initiative.targetDate', 'target_date'],
] as const)('%s %j: a field that Linear does not know is not reported as ignored', async ([tool, args, field, parameter]) => {
  await using server = await misbehaving()
  server.vendor = await unknowing(server, [field])
  const { notices } = await server.call(`IssueTracker.${tool}`, args)
  expect(String(notices)).toContain(`leaves out ${parameter}, which cannot be confirmed`)
  expect(String(notices)).not.toContain('did not take effect')
})

test.for([
  ['ArchiveIssue', { issue: 'OPS-3' }, 'Issue'],
  ['ArchiveProject', { project: 'Apollo' }, 'Project'],
  ['ArchiveInitiative', { initiative: 'Brand refresh' }, 'Initiative'],
] as const)('%s: archiving is not reported as failed if the response does not show it', async ([tool, args, type]) => {
  await using server = await misbehaving()
  server.vendor = await unknowing(server, [`${type}.archivedAt`])
  const { notices } = await server.call(`IssueTracker.${tool}`, args)
  expect(String(notices)).toContain('without the field that confirms it')
})

test('a field that one type lacks is kept in the others', async () => {
  await using server = await misbehaving()
  let asked: string[] = []
  server.vendor = await unknowing(server, ['Issue.updatedAt'], (fields) => void (asked = fields))
  const { project } = await server.call('IssueTracker.GetProject', { value: 'Apollo', lookup_by: 'name' })
  expect(asked).not.toContain('Issue.updatedAt')
  expect(asked).toContain('Project.updatedAt')
  expect(project).toHaveProperty('updated_at')
})

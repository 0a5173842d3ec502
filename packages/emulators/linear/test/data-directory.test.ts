import { formerDatabases } from '@mcp-toolkits/emulator/testing'
import { expect, it, onTestFinished } from 'vitest'
import { openEmulator } from './emulator.ts'

it('a database of the ninth version opens, is read and changed', async () => {
  const former = formerDatabases(new URL('databases/', import.meta.url)).find(({ name }) => name === 'version-9.sql')
  const temporary = former?.restore()
  onTestFinished(() => {
    temporary?.[Symbol.dispose]()
  })
  const file = temporary?.file ?? ''
  const { at, list, close } = openEmulator({ file })
  onTestFinished(() => close())
  const issues =
    '{ issues(includeArchived: true, orderBy: updatedAt) { nodes { identifier title archivedAt project { name } parent { number } } } }'
  expect(await at('issues.nodes', issues)).toEqual([
    { identifier: 'ENG-2', title: 'Second one', archivedAt: '2026-09-16T12:02:14.000Z', project: null, parent: { number: 1 } },
    { identifier: 'ENG-1', title: 'Ärger with Login', archivedAt: null, project: { name: 'Apollo' }, parent: null },
  ])
  expect(
    await at(
      'issue',
      `{ issue(id: "ENG-1") {
        assignee { name } estimate comments { nodes { body parent { body } } } relations { nodes { type relatedIssue { identifier } } }
        attachments { nodes { title url } } subscribers { nodes { name } }
      } }`,
    ),
  ).toEqual({
    assignee: { name: 'Ada Okafor' },
    estimate: 3,
    comments: {
      nodes: [
        { body: 'Me too.', parent: { body: 'Seen.' } },
        { body: 'Seen.', parent: null },
      ],
    },
    relations: { nodes: [{ type: 'blocks', relatedIssue: { identifier: 'ENG-2' } }] },
    attachments: { nodes: [{ title: 'Log', url: 'https://a.example/1' }] },
    subscribers: { nodes: [{ name: 'Ada Okafor' }, { name: 'Robin Vance' }] },
  })
  expect(
    await at(
      'projects.nodes.0',
      '{ projects { nodes { name health startDate status { type } members { nodes { name } } initiatives { nodes { name status } } } } }',
    ),
  ).toEqual({
    name: 'Apollo',
    health: 'onTrack',
    startDate: '2026-09-01',
    status: { type: 'backlog' },
    members: { nodes: [{ name: 'Ada Okafor' }] },
    initiatives: { nodes: [{ name: 'Grow', status: 'Active' }] },
  })
  expect(await list('title', '{ issues(filter: { title: { containsIgnoreCaseAndAccent: "arger" } }) { nodes { title } } }')).toHaveLength(1)
  const update = 'mutation { issueUpdate(id: "ENG-1", input: { title: "Login" }) { issue { title updatedAt } } }'
  expect(await at('issueUpdate.issue', update)).toEqual({ title: 'Login', updatedAt: '2026-09-16T12:00:00.000Z' })
})

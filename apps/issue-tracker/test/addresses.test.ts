import { withToolsets } from '@mcp-toolkits/server/mcp'
import { shareOf } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { forExamples } from './calls.ts'
import { issueTracker } from '../src/server.ts'
import { workspace } from './workspace.ts'

const issue = (company: string) => `https://linear.app/${company}/issue/ENG-15/any`
const project = (company: string) => `https://linear.app/${company}/project/any-676674191280`
const initiative = (company: string) => `https://linear.app/${company}/initiative/any-a173150e466f`
const document = (company: string) => `https://linear.app/${company}/document/any-3b0b051746b6`
const pages = {
  document,
  ...{ issue, issue_id: issue, related_issue: issue, parent_issue: issue },
  ...{ project, project_id: project, initiative, initiative_id: initiative },
}

/** The kind of page that a tool's parameter takes; undefined if it takes none. */
function pageOf(tool: string, parameter: string) {
  if (parameter === 'value')
    return new Map([
      ['GetProject', project],
      ['GetInitiative', initiative],
    ]).get(tool)
  return new Map(Object.entries(pages)).get(parameter)
}

/**
 * The example of each tool for every parameter that takes a page's URL. A reply's issue is also looked for among the comments, so it has
 * its own tests.
 */
const all = { ...forExamples, toolsets: ['all'] }
const cases = (await (await withToolsets(issueTracker, all)).load.tools())
  .filter(({ name }) => name !== 'ReplyToComment')
  .flatMap(({ name: tool, input, example }) =>
    Object.keys(input.shape).flatMap((parameter) => {
      const page = pageOf(tool, parameter)
      return page ? [{ tool, parameter, argsFor: (company: string) => ({ ...example, [parameter]: page(company) }) }] : []
    }),
  )

/** Tools whose examples fail if a parameter is the page of a different record. */
const exact = ['CreateDocument', 'EditDescription', 'ReadAttachment']

test.for(
  shareOf(
    cases.filter(({ tool }) => !exact.includes(tool)),
    6,
    0,
  ),
)('$tool accepts the URL of a page in this workspace as $parameter', async ({ tool, argsFor }) => {
  await using server = await workspace(all)
  await server.call(`IssueTracker.${tool}`, argsFor('Lodestar'))
})

test('each tool rejects the URL from a different workspace and writes nothing', async () => {
  await using server = await workspace({ ...all, emulated: { ...all.emulated, limits: { requests: 1e6, points: 1e9 } } })
  for (const { tool, parameter, argsFor } of cases) {
    const error = await server.fails(`IssueTracker.${tool}`, argsFor('another'))
    expect(error.code, `${tool} ${parameter}`).toBe('invalid_input')
    expect(error.message).toContain('is a page of the workspace "another", and this server is connected to "lodestar"')
  }
  expect(server.emulator.store.mutations()).toEqual([])
})

test('covers every parameter that takes a URL', async () => {
  await using server = await workspace(all)
  const here = cases.map(({ tool, parameter }) => `${tool} ${parameter}`)
  const { tools } = await server.client.listTools()
  const addressed = tools.flatMap(({ name, inputSchema: { properties = {} } }) =>
    Object.entries(properties).flatMap(([parameter, schema]) => {
      const text = JSON.stringify([parameter, schema])
      return /\bURL\b/.test(text) && !/attach|pull request|made from/i.test(text)
        ? [`${name.replace('IssueTracker_', '')} ${parameter}`]
        : []
    }),
  )
  expect(addressed.length).toBeGreaterThan(15)
  // A milestone's page names the milestone by its id, which exists in no other workspace.
  const others = ['ReplyToComment issue', 'GetMilestone query', 'UpsertMilestone milestone_id', 'AttachFile source_url']
  expect(addressed.filter((one) => !here.includes(one))).toEqual([...others, 'SetIssueMilestone milestone'])
})

test.for([
  ['GetIssue', { issue_id: issue('lodestar') }, 1],
  ['ArchiveIssue', { issue: issue('lodestar') }, 2],
  ['TransitionIssueState', { issue_id: issue('lodestar'), target_state: 'Canceled' }, 3],
] as const)('%s %j: a URL costs a write one more request, to look up the workspace', async ([tool, args, requests]) => {
  await using server = await workspace()
  await server.call(`IssueTracker.${tool}`, args)
  expect(server.requests()).toBe(requests)
})

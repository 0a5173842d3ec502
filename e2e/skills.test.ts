// Skills, the same skills as prompts, and resources, read with the official clients.
import type { ServerDefinition, Settings } from '@mcp-toolkits/server'
import { connect } from '@mcp-toolkits/testing'
import type { Client } from '@modelcontextprotocol/client'
import { SkillsClient } from '@modelcontextprotocol/client/ext/skills'
import { describe, expect, onTestFinished, test } from 'vitest'
import { fileStorage, issueTracker, servers } from '../servers.ts'

async function clientOf<Context>(definition: ServerDefinition<Context>, settings: Partial<Settings> = {}): Promise<Client> {
  const server = await connect(definition, { embedded: true, ...settings })
  onTestFinished(() => server[Symbol.asyncDispose]())
  return server.client
}

describe.for(servers)('$name', ({ withDefinition }) => {
  test('serves skills that the official client verifies, each as a prompt too, with the tools as it lists them', async () => {
    const { client, expected } = await withDefinition(async (definition) => ({
      client: await clientOf(definition, { toolsets: ['all'] }),
      expected: (await definition.load.readable?.())?.skills.map(({ frontmatter }) => frontmatter.name) ?? [],
    }))
    if (expected.length === 0) {
      expect(client.getServerCapabilities()).not.toHaveProperty('extensions')
      return
    }
    const listed = new Set((await client.listTools()).tools.map(({ name }) => name))
    const skills = new SkillsClient(client)
    const entries = (await skills.list()).skills
    const { prompts } = await client.listPrompts()
    expect(entries.map(({ frontmatter }) => frontmatter.name)).toEqual(expected)
    expect(prompts.map(({ name }) => name)).toEqual(expected)
    for (const entry of entries) {
      const { body = '', verified } = await skills.read(entry)
      expect(verified).toBe(true)
      expect(await skills.get(entry.uri)).toMatchObject({ skill: entry })
      const named = [...body.matchAll(/`([A-Z]\w+)`/g)].map(([, name = '']) => name)
      expect(named.filter((name) => !listed.has(name))).toEqual([])
      const prompt = await client.getPrompt({ name: entry.frontmatter.name, arguments: { request: 'Only this week.' } })
      expect(prompt.messages).toEqual([
        { role: 'user', content: { type: 'text', text: `${body.trimStart()}\nThe request: Only this week.\n` } },
      ])
    }
  })
})

test('a server without the tools of a skill does not have the skill', async () => {
  const [bare, readOnly] = await issueTracker.withDefinition(async (definition) =>
    Promise.all([clientOf(definition), clientOf(definition, { toolsets: ['all'], readOnly: true })]),
  )
  for (const client of [bare, readOnly]) {
    expect((await new SkillsClient(client).list()).skills.map(({ frontmatter }) => frontmatter.name)).not.toContain('triage-inbox')
    await expect(client.getPrompt({ name: 'triage-inbox' })).rejects.toThrow(
      'There is no prompt triage-inbox. List them with prompts/list.',
    )
  }
})

test('an issue and a project are resources, read as their tools read them', async () => {
  const client = await issueTracker.withDefinition(async (definition) => clientOf(definition))
  const { structuredContent } = await client.callTool({ name: 'IssueTracker_GetIssue', arguments: { issue_id: 'ENG-19' } })
  const { contents } = await client.readResource({ uri: 'linear://issue/ENG-19' })
  expect(contents).toEqual([{ uri: 'linear://issue/ENG-19', mimeType: 'application/json', text: JSON.stringify(structuredContent) }])
  const [project] = (await client.readResource({ uri: 'linear://project/Trails%20launch' })).contents
  expect(JSON.stringify(project)).toMatch(/application\/json.*Trails launch/)
  expect((await client.listResourceTemplates()).resourceTemplates.map(({ uriTemplate }) => uriTemplate)).toEqual([
    'linear://issue/{issue_id}',
    'linear://project/{value}',
  ])
})

test('the text of a file is a resource where a tool reads it', async () => {
  const [bare, client] = await fileStorage.withDefinition(async (definition) =>
    Promise.all([clientOf(definition), clientOf(definition, { toolsets: ['content'] })]),
  )
  const uri = `drive://file/${encodeURIComponent('Team/Working agreement.md')}`
  const [content] = (await client.readResource({ uri })).contents
  expect(content).toMatchObject({ uri, mimeType: 'text/plain' })
  expect(JSON.stringify(content)).toContain('# How we work')
  expect((await bare.listResourceTemplates()).resourceTemplates).toEqual([])
  await expect(bare.readResource({ uri })).rejects.toThrow('Resource not found')
})

const unreadable = [
  ['linear://issue/ENG-99999', 'No issue "ENG-99999"'],
  ['linear://issue/', 'Resource not found'],
  ['linear://issue/%E0%A4%A', 'Resource not found'],
  ['skill://nobody/SKILL.md', 'Resource not found'],
  ['skill://triage-inbox/../triage-inbox/SKILL.md', 'Resource not found'],
] as const

test('what is no resource cannot be read', async () => {
  const client = await issueTracker.withDefinition(async (definition) => clientOf(definition, { toolsets: ['all'] }))
  for (const [uri, problem] of unreadable) await expect(client.readResource({ uri }), uri).rejects.toThrow(problem)
})

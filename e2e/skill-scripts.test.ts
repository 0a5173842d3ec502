// Each skill, done step by step as its text says, with the toolsets that it names, and what has come of it.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { servers } from '../servers.ts'
import { agentOf } from './agent.ts'
import { issueTrackerScripts } from './skills/issue-tracker.ts'
import type { Scripts } from './skills/script.ts'

const scripts: Readonly<Record<string, Scripts>> = { 'issue-tracker': issueTrackerScripts }

const folderOf = ({ name }: { readonly name: string }) => path.join(import.meta.dirname, '..', 'apps', name, 'skills')

describe.for(servers.filter((server) => existsSync(folderOf(server))))('$name', (server) => {
  const ofServer = scripts[server.name] ?? {}
  const skills = server.withDefinition(async ({ load }) => (await load.readable?.())?.skills ?? [])

  test('every skill has a script', () => {
    expect(Object.keys(ofServer).toSorted()).toEqual(readdirSync(folderOf(server)).toSorted())
  })

  test.for(Object.entries(ofServer))('%s', async ([name, script]) => {
    const skill = (await skills).find(({ frontmatter }) => frontmatter.name === name)
    const [, toolsets] = /--toolsets ([\w,]+)/.exec(String(skill?.frontmatter['compatibility'])) ?? []
    const agent = await agentOf(server, toolsets?.split(','))
    await script(agent)
    expect([...new Set(agent.calls)].toSorted()).toEqual([...(skill?.tools ?? [])].toSorted())
  })
})

// Each skill, done step by step as its text says, with the toolsets that it names, and a check of the outcome.
import { existsSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import { describe, expect, onTestFinished, test } from 'vitest'
import { eventPipeline, servers } from '../servers.ts'
import { agentOf } from './agent.ts'
import { eventPipelineScripts } from './skills/event-pipeline.ts'
import { fileStorageScripts } from './skills/file-storage.ts'
import { issueTrackerScripts } from './skills/issue-tracker.ts'
import type { Scripts } from './skills/script.ts'

const scripts: Readonly<Record<string, Scripts>> = {
  'event-pipeline': eventPipelineScripts,
  'file-storage': fileStorageScripts,
  'issue-tracker': issueTrackerScripts,
}

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
    const emulator = pipelinesEmulator({ seed: 'empty', apiKey: 'key' })
    onTestFinished(() => emulator.close())
    const account = { embedded: false, fetch: emulator.fetch, environment: { EVENT_PIPELINE_API_KEY: 'key' } }
    const agent = await agentOf(server, toolsets?.split(','), server === eventPipeline ? account : {})
    const events = () => emulator.store.events().filter(({ outcome }) => outcome === 'accepted')
    await script(agent, () => events().map(({ body }): unknown => JSON.parse(body)))
    expect([...new Set(agent.calls)].toSorted()).toEqual([...(skill?.tools ?? [])].toSorted())
  })
})

// The extension on the wire: only a client that declares it sees any of it.
import type { Settings } from '@mcp-toolkits/server'
import { connect } from '@mcp-toolkits/testing'
import { describe, expect, onTestFinished, test } from 'vitest'
import { servers } from '../../servers.ts'
import extension from '@modelcontextprotocol/ext-apps/schema.json' with { type: 'json' }
import { Ajv2020 } from 'ajv/dist/2020.js'
import { hostClient } from './stage.ts'

/** Errors that a value has under the extension's schema. */
function problemsOf(definition: 'McpUiToolMeta' | 'McpUiResourceMeta', value: unknown): unknown {
  const ajv = new Ajv2020()
  return ajv.validate(extension.$defs[definition], value) ? [] : ajv.errors
}

describe.for(servers)('$name', ({ withDefinition }) => {
  const open = async (settings: Partial<Settings> = {}) => {
    const server = await withDefinition(async (definition) => connect(definition, { embedded: true, ...settings }))
    onTestFinished(() => server[Symbol.asyncDispose]())
    const apps = await withDefinition(async (definition) => (await definition.load.apps?.())?.apps ?? [])
    return { server, client: server.client, host: await hostClient(server.fetch), apps }
  }

  test('shows its apps to a client that has them, and the same as ever to others', async () => {
    const { client, host, apps } = await open()
    const { tools: plain } = await client.listTools()
    const { tools } = await host.listTools()
    const withoutApps = tools.flatMap((tool) => {
      const { ui, ...meta } = { ui: undefined, ...tool._meta }
      return JSON.stringify(ui) === '{"visibility":["app"]}' ? [] : [{ ...tool, _meta: meta }]
    })
    expect(withoutApps).toEqual(plain)
    for (const { _meta } of tools) expect(problemsOf('McpUiToolMeta', _meta?.['ui'] ?? {})).toEqual([])
    expect(JSON.stringify(plain)).not.toContain('"ui"')
    const { resources } = await client.listResources()
    const listed = (await host.listResources()).resources.filter(({ uri }) => uri.startsWith('ui:'))
    expect(resources.filter(({ uri }) => uri.startsWith('ui:'))).toEqual([])
    expect(listed).toHaveLength(apps.length)
    for (const { uri } of listed) {
      expect(JSON.stringify(tools)).toContain(JSON.stringify({ resourceUri: uri }))
      const [page] = (await host.readResource({ uri })).contents
      expect(page).toMatchObject({ uri, mimeType: 'text/html;profile=mcp-app' })
      expect(problemsOf('McpUiResourceMeta', page?._meta?.['ui'])).toEqual([])
      expect(page && 'text' in page && page.text).toMatch(/^<!doctype html>/)
      await expect(client.readResource({ uri })).rejects.toThrow('Resource not found')
    }
    for (const { name } of tools.slice(plain.length)) await expect(client.callTool({ name })).rejects.toThrow(/not found|unknown/i)
  })

  test('knows a client of an earlier revision by its session', async () => {
    const { server, apps } = await open()
    const legacy = await hostClient(server.fetch, { isLegacy: true })
    expect(legacy.getNegotiatedProtocolVersion()).toBe('2025-11-25')
    const { tools } = await legacy.listTools()
    expect(JSON.stringify(tools).includes('resourceUri')).toBe(apps.length > 0)
  })

  test('shows none with apps off', async () => {
    const { client, host } = await open({ apps: 'off' })
    expect(await host.listTools()).toEqual(await client.listTools())
    expect((await host.listResources()).resources).toEqual((await client.listResources()).resources)
  })
})

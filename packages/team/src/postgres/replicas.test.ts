import { expect, it } from 'vitest'
import { jsonLog } from '../../../server/src/mcp/log.ts'
import type { ServerDefinition, Settings, Upstream } from '../../../server/src/mcp/definition.ts'
import { openToolbox } from '../../../server/src/mcp/calls/toolbox.ts'
import { acmeServer, connecting } from '../../../server/test/acme.ts'

const vendor: Upstream = { kind: 'vendor', url: 'https://acme.example' }

/** Starts a server, and returns whether it resumed others' work. */
async function resumes(settings: Partial<Settings>, definition: Partial<ServerDefinition<object>> = {}): Promise<boolean> {
  let isResumed = false
  const server: ServerDefinition<object> = {
    ...acmeServer,
    upstream: () => vendor,
    extensions: [{ hasPendingWork: () => false }],
    load: {
      ...acmeServer.load,
      connector: connecting<object>(
        {},
        {
          resume: () => {
            isResumed = true
          },
        },
      ),
    },
    ...definition,
  }
  const started: Settings = { embedded: false, dataDirectory: '/nowhere', readOnly: false, toolNames: 'safe', environment: {}, ...settings }
  const toolbox = openToolbox(server, started, { log: jsonLog('silent', () => undefined) })
  await toolbox.resume()
  await toolbox.close()
  return isResumed
}

it('a replica goes on with the work of others, though its data directory holds none', async () => {
  expect(await resumes({})).toBe(false)
  expect(await resumes({ isReplica: true })).toBe(true)
  expect(await resumes({ isReplica: true, readOnly: true })).toBe(false)
})

it('a replica has no embedded default', () => {
  const embedded: Upstream = { kind: 'embedded' }
  const server = { ...acmeServer, upstream: () => embedded }
  const settings: Settings = {
    embedded: false,
    dataDirectory: '/nowhere',
    readOnly: false,
    toolNames: 'safe',
    environment: {},
    isReplica: true,
  }
  const toolbox = openToolbox(server, settings, { log: jsonLog('silent', () => undefined) })
  expect([toolbox.embedded, toolbox.usesAccount]).toEqual([false, false])
  expect(toolbox.upstreamProblem).toContain('replicas cannot share the embedded default')
  expect(toolbox.instructions).toContain('Not connected: No account is configured')
})

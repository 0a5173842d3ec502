import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { ManualClock } from '@mcp-toolkits/core/testing'
import { connect, echoingVendors, expectNoSecrets, formsOf } from '@mcp-toolkits/testing'
import { expect, onTestFinished, test } from 'vitest'
import { eventPipeline } from '../src/server.ts'
import { acceptingKeys, elapse, execution, goodBodies } from './pipeline.ts'

const key = 'canary-key-0123456789'

test.for(echoingVendors((message) => ({ meta: { error: message, errors: [message] } })))(
  'does not show or store the key when Customer.io repeats it in $title',
  async ({ fetch }) => {
    const dataDirectory = await mkdtemp(path.join(tmpdir(), 'echoes-'))
    onTestFinished(() => rm(dataDirectory, { recursive: true, force: true }))
    const clock = new ManualClock()
    const real = () => Promise.resolve(Response.json({}))
    const environment = { EVENT_PIPELINE_API_KEY: key }
    const shown: string[] = []
    {
      await using server = await connect(eventPipeline, { fetch: acceptingKeys(fetch(real)), clock, environment, dataDirectory })
      for (const strict of ['True', 'False']) {
        const args = execution(goodBodies.track, { enable_strict_validation: strict })
        shown.push(JSON.stringify(await elapse(clock, server.result('EventPipelineApi_TrackUserEvent', args), 1_000)))
      }
      expectNoSecrets([...shown, ...server.logLines], formsOf(key))
    }
    const entries = await readdir(path.join(dataDirectory, 'event-pipeline'), { withFileTypes: true })
    const files = entries.filter((entry) => entry.isFile()).map(({ name }) => name)
    expect(files).toContain('outbox.db')
    const stored = await Promise.all(files.map((file) => readFile(path.join(dataDirectory, 'event-pipeline', file), 'latin1')))
    expectNoSecrets(stored, formsOf(key))
  },
)

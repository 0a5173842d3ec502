// A change in an app while the server is killed: the person repeats it in the next process, and it is made and recorded once.
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject, parseJson } from '@mcp-toolkits/core/base'
import { describe, expect, test } from 'vitest'
import { startReplica } from '../../packages/testing/src/cluster/replica.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { RealClock } from '../../packages/testing/src/vendors/clock.ts'
import { drive } from '../../packages/testing/src/vendors/drive.ts'
import { environmentOf } from '../../packages/testing/src/vendors/environment.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'
import { pipelines } from '../../packages/testing/src/vendors/pipelines.ts'
import type { Vendor } from '../../packages/testing/src/vendors/vendor.ts'
import { chromiumPath } from '../chromium-path.ts'
import { temporaryDirectory } from '../command.ts'
import { openGate } from '../exactly-once/gate.ts'
import { differenceOf } from '../exactly-once/installation.ts'
import { hostClient, showApp, type Stage } from './stage.ts'

const shouldRun = chromiumPath !== undefined || process.env['CI'] === 'true'

/** A change that a person makes in an app. */
interface Change {
  readonly vendor: Vendor
  /** The tool whose result is shown, its arguments, and the tool that makes the change. */
  readonly shows: string
  readonly args: Readonly<Record<string, unknown>>
  readonly tool: string
  /** True for the request that changes something at the vendor. */
  readonly isWrite: (request: Request, body: string) => boolean
  readonly prepare: (stage: Stage) => Promise<void>
  readonly make: (stage: Stage) => Promise<void>
  readonly done: string | RegExp
}

const batch = [
  { type: 'track', userId: 'u-1', event: 'Paid' },
  { type: 'track', event: 'Of no one' },
]

const changes: readonly Change[] = [
  {
    vendor: linear,
    shows: 'IssueTracker_ListIssues',
    args: { team: 'ENG', limit: 40 },
    tool: 'TransitionIssueState',
    isWrite: (_request, body) => body.includes('mutation'),
    prepare: ({ app }) => app.locator('section[aria-label^="Canceled,"]').waitFor(),
    make: ({ app }) => app.locator('.card[data-key="ENG-16"]').dragTo(app.locator('section[aria-label^="In Progress,"] h2')),
    done: 'You moved ENG-16 from "Todo" to "In Progress".',
  },
  {
    vendor: drive,
    shows: 'FileStorage_GetFileTreeStructure',
    args: {},
    tool: 'ShareFile',
    isWrite: ({ method, url }) => method === 'POST' && url.includes('/permissions'),
    async prepare({ app }) {
      await app.getByRole('checkbox', { name: 'Drafts' }).check()
      await app.getByRole('button', { name: 'Share…' }).click()
      await app.getByText('can see it:').waitFor()
      await app.getByLabel('Email address').fill('hana.park@partner.example')
    },
    make: ({ app }) => app.locator('[data-key=confirm]').click(),
    done: /with hana.park@partner.example as reader/,
  },
  {
    vendor: pipelines,
    shows: 'EventPipelineApi_SendBatchRequests',
    args: { mode: 'execute', request_body: JSON.stringify({ batch }) },
    tool: 'SendBatchRequests',
    isWrite: ({ url }, body) => url.endsWith('/batch') && body.includes('u-3'),
    async prepare({ app }) {
      await app.getByRole('button', { name: 'Correct' }).click()
      await app.getByRole('textbox', { name: 'Row 1' }).fill('{"type":"track","userId":"u-3","event":"Paid"}')
    },
    make: ({ app }) => app.getByRole('button', { name: 'Send again' }).click(),
    done: /You corrected and sent row 1 again/,
  },
]

/**
 * Makes a change, killing the server before or after the vendor carries it out. Returns what changed at the vendor, and what the audit log
 * says.
 */
async function effectOf({ vendor, shows, args, tool, isWrite, prepare, make, done }: Change, killed?: 'before' | 'after') {
  await using opened = await vendor.open(new RealClock())
  let isDue = killed !== undefined
  await using gate = await openGate(async (input, init) => {
    const request = new Request(input, init)
    const isHit = isDue && isWrite(request, await request.clone().text())
    if (isHit) isDue = false
    if (isHit && killed === 'before') await replica.kill()
    const response = isHit && killed === 'before' ? new Response() : await opened.fetch(request)
    if (isHit && killed === 'after') await replica.kill()
    return response
  })
  const audit = path.join(await temporaryDirectory(), 'audit.jsonl')
  const environment = environmentOf(vendor, { url: gate.url, options: opened.options })
  await using replica = await startReplica({ app: vendor.server.name, environment, args: ['--audit', audit] })
  const client = await hostClient(async (request) =>
    fetch(replica.url, { method: request.method, headers: request.headers, body: await request.text() }),
  )
  const stage = await showApp({ client, tool: shows, args })
  const recorded = async () =>
    (await readFile(audit, 'utf8'))
      .split('\n')
      .map(parseJson)
      .filter(isObject)
      .filter((entry) => entry['tool'] === tool)
  await prepare(stage)
  const [before, earlier] = [await opened.state(), (await recorded()).length]
  await make(stage)
  if (killed !== undefined) {
    await stage.app.getByText('nothing is done twice').waitFor()
    await replica.restart()
    await make(stage)
  }
  await stage.app.getByText(done).first().waitFor()
  await expect.poll(async () => (await recorded()).length).toBeGreaterThan(earlier)
  const keys = new Set(stage.calls.flatMap(({ key }) => (key === undefined ? [] : [key])))
  return {
    keys: keys.size,
    calls: (await recorded()).slice(earlier).map(({ outcome }) => outcome),
    changes: differenceOf(before, await opened.state()),
  }
}

describe.runIf(shouldRun)('a change of an app is made once, and stands in the audit once', () => {
  const kills = changes.map((change, index) => ({
    ...change,
    kills: shareOf(['before', 'after'] as const, 2, index),
  }))
  test.for(kills)(
    '$tool of $vendor.server.name, whose server is killed before or after the vendor does it',
    async ({ kills, ...change }) => {
      const whole = await effectOf(change)
      expect(whole).toMatchObject({ keys: 1, calls: ['ok'] })
      expect(whole.changes.length).toBeGreaterThan(0)
      for (const killed of kills) expect(await effectOf(change, killed)).toEqual(whole)
    },
  )
})

import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import path from 'node:path'
import { driveEmulator } from '@mcp-toolkits/drive-emulator'
import { pipelinesEmulator } from '@mcp-toolkits/pipelines-emulator'
import * as z from 'zod'
import { linearEmulator } from '@mcp-toolkits/linear-emulator'
import { runNode, temporaryDirectory, type Finished } from './command.ts'
import { listenOnLoopback } from '../packages/testing/src/processes/loopback.ts'

const root = path.join(import.meta.dirname, '..')

/** Emulators that stand in for the vendors in live tests. */
export interface Vendors extends AsyncDisposable {
  readonly linear: ReturnType<typeof linearEmulator>
  readonly drive: ReturnType<typeof driveEmulator>
  readonly pipelines: ReturnType<typeof pipelinesEmulator>
  readonly environment: Readonly<Record<string, string>>
}

/** Starts the emulators, including one for the other region, and a webhook that lists the events that arrive. */
export async function startVendors(): Promise<Vendors> {
  const linear = linearEmulator({ seed: 'edge-cases', apiKey: 'lin_api_live', accessToken: 'lin_oauth_live', scopes: ['read'] })
  const pipelines = pipelinesEmulator({ seed: 'empty', apiKey: 'live-key' })
  const elsewhere = pipelinesEmulator({ seed: 'empty', apiKey: 'key-of-the-other-region' })
  const drive = driveEmulator({ seed: 'empty', accessToken: 'live-token' })
  const [{ url: linearUrl }, { url }, { url: elsewhereUrl }, { url: driveUrl }] = await Promise.all([
    linear.listen(),
    pipelines.listen(),
    elsewhere.listen(),
    drive.listen(),
  ])
  const webhook = await startWebhook(() => {
    const arrived = pipelines.store.events().filter(({ outcome }) => outcome === 'accepted')
    return { status: 200, body: JSON.stringify({ received: arrived.map(({ body }) => ({ content: body })) }) }
  })
  return {
    linear,
    drive,
    pipelines,
    environment: {
      ISSUE_TRACKER_API_KEY: 'lin_api_live',
      ISSUE_TRACKER_ACCESS_TOKEN: 'lin_oauth_live',
      ISSUE_TRACKER_API_URL: `${linearUrl}/graphql`,
      LIVE_TEAM: 'ENG',
      LIVE_OTHER_TEAM: 'DES',
      FILE_STORAGE_ACCESS_TOKEN: 'live-token',
      FILE_STORAGE_API_URL: driveUrl,
      EVENT_PIPELINE_API_KEY: 'live-key',
      EVENT_PIPELINE_API_URL: `${url}/v1`,
      LIVE_OTHER_REGION_URL: `${elsewhereUrl}/v1`,
      LIVE_EVENTS_URL: `${webhook.url}/events`,
    },
    async [Symbol.asyncDispose]() {
      await Promise.all([linear.close(), drive.close(), pipelines.close(), elsewhere.close(), webhook[Symbol.asyncDispose]()])
    },
  }
}

/** Starts a server on the loopback address that answers every request. */
export async function startWebhook(answer: (request: IncomingMessage) => { readonly status: number; readonly body: string }) {
  const server = createServer((request, response) => {
    const { status, body } = answer(request)
    request.resume().once('end', () => response.writeHead(status, { 'content-type': 'application/json' }).end(body))
  })
  return listenOnLoopback(server)
}

const report = z.object({
  testResults: z.array(z.object({ assertionResults: z.array(z.object({ title: z.string(), status: z.string() })) })),
})

export interface LiveRun extends Finished {
  /** The outcome of each test, by the test's title. */
  readonly outcomes: ReadonlyMap<string, string>
}

/** Runs the live tests as a user would. */
export async function runLive(environment: Readonly<Record<string, string>>): Promise<LiveRun> {
  const file = path.join(await temporaryDirectory(), 'report.json')
  const vitest = path.join(root, 'node_modules', 'vitest', 'vitest.mjs')
  const options = ['--root', root, '--project', 'live', '--reporter=verbose', '--reporter=json', `--outputFile.json=${file}`]
  const finished = await runNode([vitest, 'run', ...options], { environment: { LIVE: '1', NO_COLOR: '1', ...environment } })
  const { testResults } = report.parse(JSON.parse(await readFile(file, 'utf8')))
  const tests = testResults.flatMap(({ assertionResults }) => assertionResults)
  return { ...finished, outcomes: new Map(tests.map(({ title, status }) => [title, status])) }
}

/** The tests with an outcome, as `server number`. */
export const withOutcome = ({ outcomes }: LiveRun, wanted: string): readonly string[] =>
  [...outcomes].filter(([, outcome]) => outcome === wanted).map(([title]) => title.slice(0, title.indexOf(':')))

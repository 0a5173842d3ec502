// Entry module of the thread that reads event files and sends their rows until none are left or the server closes, or that checks one file.
import { parentPort, workerData } from 'node:worker_threads'
import { isObject, member, systemClock } from '@mcp-toolkits/core/base'
import { errorToJson, ToolError } from '@mcp-toolkits/core/errors'
import type { Settings } from '@mcp-toolkits/server'
import type { Plan } from './backfill/record.ts'

const isPlan = (value: unknown): value is Plan => isObject(member(value, 'source'))

const isSettings = (value: unknown): value is Settings => isObject(value) && isObject(value['environment'])

type Port = NonNullable<typeof parentPort>

/** Reports the number of rows read, and then the result or its error as JSON. */
async function check(plan: Plan, settings: Settings, port: Port): Promise<void> {
  const [{ checkFile }, { sourceFetch }] = await Promise.all([import('./backfill/file/plan.ts'), import('./open-backfills.ts')])
  const progress = (read: number) => {
    port.postMessage(read)
  }
  const options = { fetch: sourceFetch(settings, systemClock), clock: systemClock, signal: new AbortController().signal, progress }
  const read: unknown = await checkFile(plan, options).catch((error: unknown) => {
    if (!(error instanceof ToolError)) throw error
    const json: unknown = JSON.parse(JSON.stringify(errorToJson(error)))
    return json
  })
  port.postMessage(read)
}

async function work(settings: Settings, port: Port): Promise<void> {
  const { openConnection } = await import('./connect.ts')
  const ignore = () => undefined
  const report = (_message: string, problem?: object) => {
    port.postMessage({ ...problem })
  }
  const { context, close } = await openConnection(settings, {
    isThread: true,
    log: { error: report, warn: ignore, info: ignore, debug: ignore },
  })
  const backfills = await context.backfills()
  const closing = new AbortController()
  const closed = new Promise((resolve) => {
    closing.signal.addEventListener('abort', resolve)
  })
  port.on('message', (message) => {
    if (message === 'close') closing.abort()
    else backfills.wake()
  })
  let changed = backfills.changed()
  backfills.wake()
  do {
    await Promise.race([changed, closed])
    changed = backfills.changed()
    port.postMessage('changed')
  } while (!closing.signal.aborted && (await backfills.hasWork()))
  await close()
  port.close()
}

const settings: unknown = workerData
const plan = member(settings, 'plan')
if (parentPort && isSettings(settings)) {
  // The proxy is set for each thread separately.
  if (Object.keys(settings.environment).some((name) => /^https?_proxy$/i.test(name)))
    (await import('@mcp-toolkits/server/cli')).useProxy(settings.environment)
  await (isPlan(plan) ? check(plan, settings, parentPort) : work(settings, parentPort))
}

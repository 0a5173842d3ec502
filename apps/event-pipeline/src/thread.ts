// Entry of the thread that reads files of events and sends their rows until none are left or the server closes.
import { parentPort, workerData } from 'node:worker_threads'
import { isObject } from '@mcp-toolkits/core/base'
import type { Settings } from '@mcp-toolkits/server'

const isSettings = (value: unknown): value is Settings => isObject(value) && isObject(value['environment'])

async function work(settings: Settings, port: NonNullable<typeof parentPort>): Promise<void> {
  // The proxy is set for each thread separately.
  if (Object.keys(settings.environment).some((name) => /^https?_proxy$/i.test(name)))
    (await import('@mcp-toolkits/server/cli')).useProxy(settings.environment)
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
if (parentPort && isSettings(settings)) await work(settings, parentPort)

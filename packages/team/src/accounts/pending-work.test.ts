import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it } from 'vitest'
import { entryLog } from '../../../server/src/mcp/log.ts'
import { settings } from '../../../server/test/stdio/echo-server.ts'
import { Connections } from './connection-pool.ts'
import { PendingWork } from './pending-work.ts'
import { diaryGrant, DiaryHouse, diaryServer } from '../../test/accounts/diary.ts'
import { openOffice } from '../../test/accounts/office.ts'

/** Looks for some people's work. `hasWork` says whether a person's connection has any. */
async function open(names: readonly string[], hasWork: () => Promise<boolean>) {
  const office = await openOffice(diaryServer(new DiaryHouse()))
  for (const name of names) await office.grant(office.caller(name), diaryGrant(name))
  const happened: string[] = []
  const note = (what: string) => {
    happened.push(what)
    return Promise.resolve()
  }
  const clock = new ManualClock()
  const log = entryLog('debug', ({ message }) => void note(message), clock)
  const connections = new Connections<string>({ clock, log })
  const pendingWork = new PendingWork<string>({
    ...{ state: office.state, connections, log, clock },
    accountOf: ({ subject }) =>
      Promise.resolve({
        ...{ name: subject, settings },
        async open() {
          await note('opened')
          return {
            context: subject,
            status: () => Promise.resolve({}),
            hasWork,
            resume: () => void note('resumed'),
            close: () => note('closed'),
          }
        },
      }),
  })
  return { connections, pendingWork, happened }
}

it('a connection that has work stays open and continues it', async () => {
  const { pendingWork, connections, happened } = await open(['anna'], () => Promise.resolve(true))
  await pendingWork.resume()
  expect([connections.size, happened]).toEqual([1, ['opened', 'resumed']])
})

it('a connection of which it cannot be known whether it has work is closed', async () => {
  const { pendingWork, connections, happened } = await open(['anna'], () => Promise.reject(new Error('The database is down.')))
  await pendingWork.resume()
  expect([connections.size, happened]).toEqual([0, ['opened', 'closed', 'not resumed']])
})

it('closing waits for a poll under way, which opens nothing more and leaves nothing open', async () => {
  const [asked, answer] = [Promise.withResolvers<undefined>(), Promise.withResolvers<boolean>()]
  const { pendingWork, connections, happened } = await open(['anna', 'ben'], () => {
    asked.resolve(undefined)
    return answer.promise
  })
  const resuming = pendingWork.resume()
  await asked.promise
  const closing = (async () => {
    await pendingWork.close()
    happened.push('polled no more')
  })()
  await new Promise(setImmediate)
  answer.resolve(true)
  await Promise.all([closing, resuming])
  expect([connections.size, happened]).toEqual([0, ['opened', 'closed', 'polled no more']])
})

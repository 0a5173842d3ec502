import { ManualClock } from '@mcp-toolkits/core/testing'
import { expect, it } from 'vitest'
import { entryLog } from '../../../server/src/mcp/log.ts'
import { Connections } from './connection-pool.ts'

const minute = 60_000

/** A pool for two connections. Those of the people in `busy` have work. */
function openTwo(busy: Set<string>) {
  const clock = new ManualClock()
  const connections = new Connections<string>({ clock, log: entryLog('silent', () => undefined, clock), max: 2 })
  const [asked, closed]: [string[], string[]] = [[], []]
  const use = async (name: string) => {
    const open = () =>
      Promise.resolve({
        context: name,
        status: () => Promise.resolve({}),
        hasWork() {
          asked.push(name)
          return Promise.resolve(busy.has(name))
        },
        close: () => Promise.resolve(void closed.push(name)),
      })
    const { connection, release } = connections.hold(name, open)
    await connection()
    release()
    await clock.advance(0)
  }
  return { clock, connections, asked, closed, use }
}

it('connections that have work make no room, and the oldest of the others are closed instead', async () => {
  const { connections, closed, use } = openTwo(new Set(['anna']))
  for (const name of ['anna', 'ben', 'carla', 'dora']) await use(name)
  expect([connections.size, closed]).toEqual([2, ['ben', 'carla']])
})

it('a surplus of connections that have work is closed within a minute of their end, and calls do not ask them each time', async () => {
  const busy = new Set(['anna', 'ben', 'carla'])
  const { clock, connections, asked, closed, use } = openTwo(busy)
  for (const name of ['anna', 'ben', 'carla', 'carla', 'carla']) await use(name)
  expect([connections.size, closed, asked]).toEqual([3, [], ['anna', 'ben', 'carla']])
  busy.clear()
  await clock.advance(minute)
  expect([connections.size, closed]).toEqual([2, ['anna']])
})

import { describe, expect, test } from 'vitest'
import { creatingServers, titleOf } from './creates.ts'
import { sweep } from './sweep.ts'

const seed = Number(process.env['KILL_SEED'] ?? Math.trunc(Math.random() * 1e6))
/** `LONG=full` takes half an hour. */
const isFull = process.env['LONG'] === 'full'
const scale = isFull ? { creates: 200, delayed: 0.5 } : { creates: 10, delayed: 0.05 }

describe.for(creatingServers)('$server.name, killed at every request and every write', (server) => {
  describe.for([
    ['without keys', false],
    ['with keys', true],
  ] as const)('%s', ([, isKeyed]) => {
    test.concurrent.for(server.creates.map((create) => ({ title: titleOf(create), create })))(
      `$title is done once (KILL_SEED=${seed})`,
      { timeout: 3_600_000 },
      async ({ title, create }) => {
        const { kills, points, notices, failures } = await sweep({ server, create, isKeyed, kinds: ['request', 'write'], seed, ...scale })
        process.stdout.write(`${title}: ${kills} kills at ${points} points, ${notices} notices, ${failures.length} failures.\n`)
        expect(failures).toEqual([])
        expect(kills).toBeGreaterThanOrEqual(scale.creates)
      },
    )
  })
})

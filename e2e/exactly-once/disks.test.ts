import { describe, expect, test } from 'vitest'
import { creatingServers, titleOf, type ServerCreates } from './creates.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import { unwritableDirectory } from '../command.ts'
import { differenceOf, killSeed, openInstallation } from './installation.ts'
import type { KillableServer } from './killable-server.ts'

const disks = [
  ['in a directory that cannot be written', { dataDirectory: unwritableDirectory }],
  ['on a full disk', { maxFileBlocks: 0 }],
] as const

describe.for(creatingServers)('$server.name', (creating) => {
  test.for(disks)('%s, refuses to create before anything is sent, and reads', async ([, options]) => {
    await using installation = await openInstallation(creating, killSeed)
    const server = await installation.start(options)
    // If the vendor itself keeps only one of each, no record is needed.
    const recorded = creating.creates.filter(({ recognizedBy }) => recognizedBy !== 'one for each URL')
    for (const create of shareOf(recorded, 3, killSeed)) {
      const call = await installation.newCall(create)
      const prepared = await installation.held()
      const answer = await server.call(call)
      expect(answer, titleOf(create)).toMatchObject({ isError: true, result: { code: 'unavailable', retryable: false } })
      expect(answer?.result['message'], titleOf(create)).toMatch(/disk|director|written/i)
      expect(differenceOf(prepared, await installation.held()), titleOf(create)).toEqual([])
    }
    expect(await read(creating, server)).toMatchObject({ isError: false })
  })

  test('while its disk fills, creates what it says that it has created', async () => {
    await using installation = await openInstallation(creating, killSeed)
    const [create] = creating.creates
    if (!create) throw new Error('Nothing to create.')
    const server = await installation.start({ maxFileBlocks: 512 })
    await server.call(await installation.newCall(create))
    const before = await installation.held()
    let created = 0
    let refused = 0
    for (let number = 0; number < 60 && refused < 3; number += 1) {
      const answer = await server.call(await installation.newCall(create, { isKeyed: true }))
      if (answer?.isError === false) created += 1
      else refused += 1
    }
    const counts = Object.values(Object.groupBy(differenceOf(before, await installation.held()), (line) => line)).map(
      (same) => same?.length,
    )
    expect(counts).toEqual(counts.map(() => created))
    expect(created).toBeGreaterThan(0)
    expect(refused).toBeGreaterThan(0)
  })
})

/** A call that only reads. */
async function read({ server: { prefix, read: sample } }: ServerCreates, server: KillableServer): ReturnType<KillableServer['call']> {
  return server.call({ name: `${prefix}_${sample.tool}`, args: sample.arguments })
}

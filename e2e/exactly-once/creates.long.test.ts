import { describe, expect, test } from 'vitest'
import { openBench } from '../reliability/bench.ts'
import { creatingServers } from './creates.ts'

describe.for(creatingServers)('$server.name', ({ vendor, creates }) => {
  const listed = new Set(creates.map(({ tool }) => tool))
  const writing = vendor.tools.filter(({ effect }) => effect !== 'read')

  test('every tool with the effect "create" is in the table', () => {
    const missing = writing.filter(({ name, effect }) => effect === 'create' && !listed.has(name))
    expect(missing.map(({ name }) => name)).toEqual([])
  })

  test('every tool of which a call adds something at the vendor is in the table', async () => {
    const adding: string[] = []
    for (const { name } of writing) {
      // A separate bench has no changes from other calls.
      await using bench = await openBench(vendor)
      // The tool resends what a call of a different tool has stored.
      if (bench.opened.failedBefore?.[name]) continue
      const before = (await bench.opened.state()).length
      expect((await bench.call(name)).error, name).toBeUndefined()
      if ((await bench.opened.state()).length > before) adding.push(name)
    }
    expect(adding.filter((name) => !listed.has(name))).toEqual([])
    expect(adding.length).toBeGreaterThan(0)
  })
})

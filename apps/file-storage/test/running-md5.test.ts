import { runs } from '@mcp-toolkits/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { RunningMd5 } from '../src/upload/running-md5.ts'
import { md5, pseudoRandomBytes } from './contents.ts'

const unit = 262_144

test('an md5 can be continued from each of its marks', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 5 * unit }), fc.integer({ min: 1, max: 3 * unit }), async (length, piece) => {
      const content = pseudoRandomBytes(length)
      const whole = await RunningMd5.start()
      for (let at = 0; at < length; at += piece) whole.update(content.subarray(at, at + piece))
      expect(whole.hex()).toBe(md5(content))
      for (let position = unit; position <= length; position += unit) {
        const mark = whole.markAt(position)
        const rest = mark && (await RunningMd5.resume(mark))
        rest?.update(content.subarray(position))
        expect([mark?.bytes, rest?.hex()]).toEqual([position, md5(content)])
      }
    }),
    { numRuns: runs(20) },
  )
  expect(await RunningMd5.resume({ bytes: unit, state: 'AAAA' })).toBeUndefined()
})

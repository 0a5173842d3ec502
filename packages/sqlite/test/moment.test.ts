import { execFileSync } from 'node:child_process'
import { expect, it } from 'vitest'
import { ageMs, type Moment, presentMoment } from '../src/moment.ts'

const day = 24 * 60 * 60_000
const then: Moment = { at: 100 * day, uptime: 5 * day, boot: 'first' }

it('tells an age by the monotonic clock, whatever the date', () => {
  for (const jump of [-day, 0, day]) expect(ageMs(then, { at: then.at + 70 + jump, uptime: then.uptime + 70, boot: 'first' })).toBe(70)
})

it('tells an age by the date after the machine was started again, and is at least as old as that start', () => {
  const present = (sinceMs: number, uptime: number) => ({ at: then.at + sinceMs, uptime, boot: 'second' })
  expect([ageMs(then, present(700, 50)), ageMs(then, present(-day, 50)), ageMs(then, present(day, 6 * day))]).toEqual([700, 50, 6 * day])
})

it('takes the younger age where boots have no names, unless the machine was surely started again', () => {
  const stored = { ...then, boot: '' }
  const present = (sinceMs: number, uptimeMs: number) => ({ at: then.at + sinceMs, uptime: then.uptime + uptimeMs, boot: '' })
  expect([ageMs(stored, present(day + 70, 70)), ageMs(stored, present(70, day)), ageMs(stored, present(-day, 70))]).toEqual([70, 70, 0])
  expect(ageMs(stored, { at: then.at + 700, uptime: 50, boot: '' })).toBe(700)
})

it('tells the age of what has only a date by that', () => {
  const present = { ...then, at: then.at + 70 }
  expect(ageMs({ at: then.at, uptime: null, boot: null }, present)).toBe(70)
  expect(ageMs({ at: present.at + day, uptime: null, boot: null }, present)).toBe(0)
})

it('is the same moment for another process of the machine', () => {
  const clock = { now: () => 1.5, monotonic: () => 2.5 }
  const here = presentMoment(clock)
  const script = `import { presentMoment } from ${JSON.stringify(import.meta.resolve('../src/moment.ts'))}
    console.log(presentMoment({ now: () => 1, monotonic: () => 2 }).boot)`
  const boot = execFileSync(process.execPath, ['--input-type=module', '--eval', script], { encoding: 'utf8' }).trim()
  expect(here).toEqual({ at: 1, uptime: 2, boot })
  expect(presentMoment(clock, 'other').boot).toBe('other')
})

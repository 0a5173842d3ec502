import { describe, expect, it } from 'vitest'
import { openTickets } from '../src/page.ts'

describe('a ticket', () => {
  it('is valid once until it expires', () => {
    let time = 0
    const { issue, take } = openTickets<string>({ now: () => time, lifetimeMs: 1000 })
    const [first, second, third] = [issue('a'), issue('b'), issue('c')]
    expect(new Set([first, second, third]).size).toBe(3)
    expect([take(first), take(first), take('guessed')]).toEqual(['a', undefined, undefined])
    time = 999
    expect(take(second)).toBe('b')
    time = 1000
    expect(take(third)).toBeUndefined()
  })

  it('is dropped when a hundred newer ones are open', () => {
    const { issue, take } = openTickets<number>({ now: () => 0, lifetimeMs: 1000 })
    const all = Array.from({ length: 101 }, (_, index) => issue(index))
    expect(all.map((ticket) => take(ticket))).toEqual([undefined, ...Array.from({ length: 100 }, (_, index) => index + 1)])
  })
})

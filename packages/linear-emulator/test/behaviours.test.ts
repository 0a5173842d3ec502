import { readdirSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { linearBehaviours } from '../src/index.ts'

const folder = new URL('.', import.meta.url)

/** The titles of all tests of this package, as `describe › it`; one that runs over a table counts by its template. */
const titles = readdirSync(folder)
  .filter((name) => name.endsWith('.test.ts'))
  .flatMap((name) => titlesIn(readFileSync(new URL(name, folder), 'utf8')))

function titlesIn(source: string): string[] {
  const found: string[] = []
  let about = ''
  for (const [, outer, inner] of source.matchAll(/^describe\('(.+?)', |^ {2}(?:it|it\.each\(.*\)|\](?: as const)?\))\(\s*'(.+?)',/gm)) {
    if (outer !== undefined) about = outer
    if (inner !== undefined) found.push(`${about} › ${inner}`)
  }
  return found
}

describe('every rule', () => {
  it('has a name of its own, and says whether the vendor documents it', () => {
    expect(new Set(linearBehaviours.map(({ rule }) => rule)).size).toBe(linearBehaviours.length)
    expect(linearBehaviours.filter(({ basis }) => basis === 'documented').length).toBeGreaterThan(50)
  })

  it('names section and line of what it rests on', () => {
    for (const { source } of linearBehaviours) expect(source).toMatch(/^linear\.md §\d(\.\d)? \(linear\.md:\d+(, linear\.md:\d+)*\)$/)
  })

  it('names a test that there is, and only one of that title', () => {
    expect(titles.length).toBeGreaterThan(100)
    const counted = Map.groupBy(titles, (title) => title)
    expect(linearBehaviours.filter(({ test }) => counted.get(test ?? '')?.length !== 1).map(({ rule, test }) => [rule, test])).toEqual([])
  })
})

import { isObject } from '@mcp-toolkits/core/base'
import { describe, expect, test } from 'vitest'
import { expectCounts } from './counts.ts'
import { openBench, vendors } from './bench.ts'
import { shareOf } from '../../packages/testing/src/runs.ts'
import type { Failure } from '../../packages/testing/src/vendors/network.ts'

/** Maximum number of pages that a call needs, however many there are. */
const maxRequests = 120

/** Adds to every list in an answer that there is another page, with this `token`. */
function withNextPage(value: unknown, token: string, isEmpty: boolean): unknown {
  if (Array.isArray(value)) return isEmpty ? [] : value.map((item) => withNextPage(item, token, isEmpty))
  if (!isObject(value)) return value
  const members = Object.entries(value).map(([name, item]) => [name, withNextPage(item, token, isEmpty)] as const)
  const isList =
    Array.isArray(value['files']) ||
    Array.isArray(value['drives']) ||
    Array.isArray(value['permissions']) ||
    Array.isArray(value['revisions'])
  return {
    ...Object.fromEntries(members),
    ...(isList && { nextPageToken: token }),
    ...('hasNextPage' in value && { hasNextPage: true, endCursor: token }),
  }
}

const endless =
  (token: (count: number) => string, isEmpty: boolean): (() => Failure) =>
  () => {
    let count = 0
    return async ({ exchange, forward }) => {
      const response = await forward()
      exchange.isOpen = false
      const text = await response.text()
      if (!response.headers.get('content-type')?.includes('json')) return new Response(text, response)
      const body: unknown = JSON.parse(text)
      count += 1
      return Response.json(withNextPage(body, token(count), isEmpty), { status: response.status })
    }
  }

const kinds = {
  'that repeat the same token': endless(() => 'again', false),
  'with a new token each': endless((count) => `page-${count}`, false),
  'that are empty, with a new token each': endless((count) => `page-${count}`, true),
} as const

const counts = { lists: 0 }

// Events are only sent, and never listed.
describe.for(vendors.filter(({ server }) => server.name !== 'event-pipeline'))('$server.name', (vendor) => {
  describe.for(Object.entries(kinds).map(([pages, kind], index) => ({ pages, kind, index })))('with pages $pages', ({ kind, index }) => {
    test.for(shareOf(vendor.tools, 3, index))('$name ends', async ({ name }) => {
      await using bench = await openBench(vendor)
      counts.lists += 1
      const failure = kind()
      bench.network.fail(() => failure)
      const started = bench.clock.monotonic()
      const { error } = await bench.call(name)
      expect(error?.code).not.toBe('internal')
      expect(bench.network.exchanges.length).toBeLessThanOrEqual(maxRequests)
      expect(bench.clock.monotonic() - started).toBeLessThanOrEqual(30_000)
    })
  })
})

test('counts the endless lists', async () => {
  await expectCounts('pages', counts)
})

import { describe, expect, it } from 'vitest'
import { chooses, connectClient, routes } from '../../../test/elicitation/client.ts'

const open = ['OpenBox', { box: 'north' }] as const
const first = { url: 'https://post.example/boxes/north?run=1' }

describe.each([
  ['a client of 2026-07-28 over stdio', routes.modernStdio],
  ['a client of 2026-07-28 over HTTP', routes.modernHttp],
  ['a client of 2025-11-25 over stdio', routes.legacyStdio],
] as const)('%s', (_, way) => {
  it.each(['accept', 'decline', 'cancel'] as const)(
    'offers the page, and gets its address whatever its person does: %s',
    async (visitor) => {
      await using at = await connectClient(way, { visitor })
      const { structuredContent, isError } = await at.call(...open)
      expect({ structuredContent, isError }).toEqual({ structuredContent: first, isError: undefined })
      expect(at.visits).toMatchObject([{ mode: 'url', message: 'Turn the key of north.', ...first }])
      expect(at.postOffice.runs).toBe(1)
    },
  )

  it('gets only the address when it cannot open pages', async () => {
    await using at = await connectClient(way, { person: chooses({}) })
    expect((await at.call(...open)).structuredContent).toEqual(first)
    expect([at.visits, at.forms]).toEqual([[], []])
  })

  it('is offered the page again by another call', async () => {
    await using at = await connectClient(way, { visitor: 'accept' })
    await at.call(...open)
    expect((await at.call(...open)).structuredContent).toEqual({ url: 'https://post.example/boxes/north?run=2' })
    expect(at.visits.length).toBe(2)
  })
})

it('a client of an earlier revision over HTTP cannot be asked, and gets the address', async () => {
  await using at = await connectClient(routes.legacyHttp, { visitor: 'accept' })
  expect((await at.call(...open)).structuredContent).toEqual(first)
  expect(at.visits).toEqual([])
})

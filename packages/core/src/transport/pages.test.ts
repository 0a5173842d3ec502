import { describe, expect, it } from 'vitest'
import { readPages } from './pages.ts'

/** Reads up to `maxPages` pages of a vendor that names `next(token)` as the page after `token`. */
async function tokensRead(
  next: (token: string | undefined) => string | undefined,
  { maxPages = 100, start }: { maxPages?: number; start?: string } = {},
) {
  const tokens: (string | undefined)[] = []
  const pages = readPages({ vendor: 'Acme', maxPages, start }, (token) => {
    tokens.push(token)
    return Promise.resolve({ next: next(token) })
  })
  let last: { readonly next?: string | undefined } | undefined
  const error = await (async () => {
    for await (const page of pages) last = page
    return undefined
  })().catch(String)
  return { tokens, last, error }
}

const countTo = (end: number) => (token: string | undefined) => (Number(token ?? 0) + 1 < end ? String(Number(token ?? 0) + 1) : undefined)

describe('pages', () => {
  it('are read up to the one that names no other', async () => {
    expect(await tokensRead(countTo(3))).toEqual({ tokens: [undefined, '1', '2'], last: { next: undefined }, error: undefined })
    expect(await tokensRead(countTo(3), { start: '1' })).toMatchObject({ tokens: ['1', '2'] })
  })

  it('are not read beyond the limit, and the last one says that there are more', async () => {
    expect(await tokensRead(countTo(1_000), { maxPages: 4 })).toEqual({
      tokens: [undefined, '1', '2', '3'],
      last: { next: '4' },
      error: undefined,
    })
  })

  it.each([
    ['the same page', () => 'same', 2],
    ['a page of long ago', (token: string | undefined) => (token === '5' ? '2' : countTo(1_000)(token)), 6],
  ])('are not read any further when the vendor names %s again', async (_, next, requests) => {
    const { tokens, error } = await tokensRead(next)
    expect(error).toContain('Acme sent the same page again')
    expect(tokens).toHaveLength(requests)
  })
})

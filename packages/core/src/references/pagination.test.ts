import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../errors/errors.ts'
import { decodeCursor, encodeCursor, Pagination, startPaging, readPages } from './pagination.ts'

function refusal(query: unknown, cursor: string): InvalidInput {
  try {
    decodeCursor(query, cursor)
  } catch (error) {
    if (error instanceof InvalidInput) return error
  }
  throw new Error(`Not refused: ${cursor}`)
}

const query = { tool: 'ListIssues', filter: { team: 'ENG', states: ['open', 'closed'] }, limit: 50 }

describe('a cursor', () => {
  it('decodes to the position for any query', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), (any, position) => {
        expect(decodeCursor(any, encodeCursor(any, position))).toMatchObject({ after: position, shown: 0 })
      }),
    )
  })

  it('consists of characters that URLs and models preserve', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (position) => {
        expect(encodeCursor(query, position)).toMatch(/^[\w-]+$/)
      }),
    )
  })

  it('belongs to one query', () => {
    const cursor = encodeCursor(query, 'after-7')
    for (const other of [
      { ...query, tool: 'ListProjects' },
      { ...query, limit: 51 },
      { ...query, filter: { team: 'ENG', states: ['closed', 'open'] } },
      { ...query, filter: { team: 'ENG' } },
      { ...query, assignee: 'me' },
      [query],
      null,
      undefined,
    ])
      expect(refusal(other, cursor).toJSON()).toEqual({
        code: 'invalid_input',
        message: 'The cursor was issued for a call with other arguments. Leave it out to read from the start.',
        retryable: false,
        next: { change: { end_cursor: null } },
      })
  })

  it('ignores the order of keys, null and undefined', () => {
    const cursor = encodeCursor(query, 'after-7')
    const same = {
      limit: 50,
      cursor: undefined,
      label: null,
      filter: { states: ['open', 'closed'], assignee: null, team: 'ENG', cycle: undefined },
      tool: 'ListIssues',
    }
    expect(decodeCursor(same, cursor).after).toBe('after-7')
    expect(decodeCursor(null, encodeCursor(undefined, 'p')).after).toBe('p')
  })

  it('is short, however long the query is', () => {
    expect(encodeCursor({ names: Array(1_000).fill('x') }, 'after-7').length).toBe(encodeCursor(query, 'after-7').length)
    expect(encodeCursor(query, 'after-7').length).toBeLessThan(40)
  })

  const whole = encodeCursor(query, 'after-7')
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  it.each([
    ["a vendor's own", 'WyIyMDI0Il0'],
    ['cut', whole.slice(0, -1)],
    ['cut to nothing that is JSON', whole.slice(0, 10)],
    ['with a blank', `${whole} `],
    ['with a letter from elsewhere', `${whole.slice(0, 8)}!${whole.slice(8)}`],
    ['padded', `${whole}=`],
    ['with something behind it', `${whole}AAAA`],
    ['of another form', encoded({ query: 'x', position: 'y' })],
    ['with three parts', encoded(['x', 'y', 'z'])],
    ['with a number', encoded(['x', 1])],
    ['written with blanks', Buffer.from(`${Buffer.from(whole, 'base64url').toString()} `).toString('base64url')],
  ])('that is %s is rejected', (_, cursor) => {
    const error = refusal(query, cursor)
    expect(error.message).toBe('The cursor was not issued by this server. Leave it out to read from the start.')
    expect(error.details.next).toBeUndefined()
  })

  it('that this server did not give out is rejected', () => {
    fc.assert(
      fc.property(fc.string(), (cursor) => {
        expect(refusal(query, cursor)).toBeInstanceOf(InvalidInput)
      }),
    )
  })
})

describe('a page', () => {
  it('starts at the beginning without a cursor, and after the position of a cursor', () => {
    for (const none of [undefined, '']) expect(startPaging(query, { limit: 5, end_cursor: none }).after).toBeUndefined()
    expect(startPaging(query, { limit: 5, end_cursor: encodeCursor(query, 'after-7') }).after).toBe('after-7')
    expect(() => startPaging(query, { limit: 5, end_cursor: 'x' })).toThrow(InvalidInput)
  })

  it('begins at the moment at which its list began, also where the list was shortened', () => {
    const [monday, sunday] = ['2026-11-23T00:00:00.000Z', '2026-11-22T10:00:00.000Z']
    const { since, pagination, result } = startPaging(query, { limit: 5 }, monday)
    const shortened = result({})
      .userContent.page?.([{ id: 1 }, { id: 2 }])
      .cursorAt(1)
    const cursors = [pagination(true, 'after-7').end_cursor, shortened]
    const later = cursors.map((cursor) => startPaging(query, { limit: 5, end_cursor: cursor ?? undefined }, sunday).since)
    expect([since, ...later]).toEqual([monday, monday, monday])
    expect(startPaging(query, { limit: 5 }, undefined).since).toBeUndefined()
  })

  it('says whether more follow, with a cursor where the vendor gave a position', () => {
    const { pagination } = startPaging(query, { limit: 5 })
    expect(pagination(true, 'after-7')).toEqual({ has_more: true, end_cursor: encodeCursor(query, 'after-7') })
    expect([pagination(true, null), pagination(true, undefined)]).toEqual(Array(2).fill({ has_more: true, end_cursor: null }))
    expect(pagination(false, 'after-7')).toEqual({ has_more: false, end_cursor: null })
  })
})

describe('Pagination', () => {
  it('requires both members', () => {
    expect(Pagination.safeParse({ has_more: true, end_cursor: null }).success).toBe(true)
    expect(Pagination.safeParse({ has_more: true }).success).toBe(false)
  })
})

/** Reads up to `maxPages` pages from a vendor that gives `next(token)` as the token of the page after `token`. */
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

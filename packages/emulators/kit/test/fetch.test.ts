import { describe, expect, it } from 'vitest'
import { notesEmulator, post } from './notes.ts'

const url = 'https://notes.example/notes'

describe('fetch of an emulator', () => {
  it('accepts a string, a URL and a Request, and responds like a network', async () => {
    const { fetch, store } = notesEmulator()
    const response = await fetch(url, post('a'))
    expect([response.status, response.ok, response.url, response.type, response.redirected]).toEqual([201, true, url, 'basic', false])
    await fetch(new URL(url), post('b'))
    await fetch(new Request(url, post('c')))
    await fetch(new Request(url), post('d'))
    expect(store.notes().map(({ body }) => body)).toEqual(['welcome', 'a', 'b', 'c', 'd'])
    expect(await (await fetch(url)).json()).toEqual(store.notes())
  })

  it('starts with the seed by its clock and can be reset', async () => {
    const { fetch, store, faults, reset } = notesEmulator({ now: () => Date.UTC(2026, 0, 31) })
    await fetch(`${url}?q=1`, post('é', { 'x-agent': 'test' }))
    const facts = { agent: 'test' }
    const logged = {
      id: 1,
      at: '2026-01-31T00:00:00.000Z',
      method: 'POST',
      path: '/notes',
      query: 'q=1',
      status: 201,
      fault: null,
      bytes: 2,
      facts,
    }
    expect(store.requests()).toStrictEqual([logged])
    expect(Buffer.from(store.bodyOf(1) ?? []).toString()).toBe('é')
    faults.add({ action: { kind: 'hang' } })
    reset()
    expect([store.notes(), store.requests(), faults.pending()]).toEqual([[{ id: 1, body: 'welcome' }], [], []])
  })

  it('refuses a body that is too long to be read whole, and does not keep it', async () => {
    const { fetch, store } = notesEmulator()
    const piece = new Uint8Array(1024 ** 2)
    const body = ReadableStream.from(Array<Uint8Array>(65).fill(piece))
    const init: RequestInit = { method: 'POST', body, duplex: 'half' }
    expect((await fetch(url, init)).status).toBe(413)
    expect(store.requests()).toMatchObject([{ status: 413, bytes: 65 * piece.byteLength }])
    expect([store.bodyOf(1)?.byteLength, store.notes()]).toEqual([0, [{ id: 1, body: 'welcome' }]])
  })

  it.each([
    [303, 'GET'],
    [307, undefined],
  ])('follows %s for a streamed body only when the body is not needed again', async (status, method) => {
    const { fetch, faults, store } = notesEmulator()
    faults.add({ action: { kind: 'redirect', status: status === 303 ? 303 : 307, location: url } })
    const answer = fetch(url, { method: 'POST', body: ReadableStream.from([new Uint8Array(1)]), duplex: 'half' })
    if (method === undefined) await expect(answer).rejects.toThrow('fetch failed')
    else expect((await answer).status).toBe(200)
    expect(store.requests()[1]?.method).toBe(method)
  })

  it('rejects a call that was aborted before it started', async () => {
    const { fetch, store } = notesEmulator()
    const reason = new Error('changed my mind')
    await expect(fetch(url, { ...post('a'), signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(store.requests()).toEqual([])
  })

  it.each(['init', 'request'])("ends with the signal's reason in the %s, whatever the emulator is doing", async (where) => {
    const { fetch, faults, store } = notesEmulator()
    for (const action of [{ kind: 'hang' }, { kind: 'slow', milliseconds: 600_000 }] as const) {
      faults.add({ action })
      const caller = new AbortController()
      const { signal } = caller
      const answer = where === 'init' ? fetch(url, { ...post('a'), signal }) : fetch(new Request(url, { ...post('a'), signal }))
      const reason = new Error('gave up')
      setImmediate(() => {
        caller.abort(reason)
      })
      await expect(answer).rejects.toBe(reason)
    }
    expect(store.requests().map(({ fault, status }) => [fault, status])).toEqual([
      ['hang', null],
      ['slow', null],
    ])
  })

  it('aborts a body that is read after the caller gave up', async () => {
    const { fetch } = notesEmulator()
    const caller = new AbortController()
    const response = await fetch('https://notes.example/endless', { signal: caller.signal })
    caller.abort(new Error('gave up'))
    await expect(response.text()).rejects.toThrow('gave up')
  })

  it('fails like a lost connection when the emulator is closed', async () => {
    const { fetch, faults, close, store } = notesEmulator()
    faults.add({ action: { kind: 'hang' } })
    const hanging = fetch(url)
    while (store.requests().length === 0) await new Promise(setImmediate)
    await Promise.all([expect(hanging).rejects.toMatchObject({ message: 'fetch failed', cause: { code: 'ECONNRESET' } }), close()])
    await expect(fetch(url)).rejects.toThrow('fetch failed')
    await close()
  })
})

describe('redirects', () => {
  const redirect = (status: 301 | 303 | 307, location: string) => {
    const emulator = notesEmulator()
    emulator.faults.add({ action: { kind: 'redirect', status, location } })
    return emulator
  }

  it('are returned with redirect: manual', async () => {
    const { fetch, store } = redirect(307, 'https://elsewhere.example/notes')
    const response = await fetch(url, { ...post('a'), redirect: 'manual' })
    expect([response.status, response.headers.get('location')]).toEqual([307, 'https://elsewhere.example/notes'])
    expect(store.notes()).toHaveLength(1)
  })

  it('are errors with redirect: error', async () => {
    const { fetch } = redirect(307, '/notes')
    await expect(fetch(url, { ...post('a'), redirect: 'error' })).rejects.toThrow('fetch failed')
  })

  it('keep method and body with 307 and drop both with 301 and 303', async () => {
    const kept = redirect(307, '/notes?again')
    const response = await kept.fetch(url, post('a'))
    expect([response.status, response.redirected, response.url]).toEqual([201, true, `${url}?again`])
    expect(kept.store.notes().map(({ body }) => body)).toEqual(['welcome', 'a'])
    for (const status of [301, 303] as const) {
      const lost = redirect(status, '/notes')
      expect((await lost.fetch(url, post('a'))).status).toBe(200)
      expect(lost.store.requests().map(({ method }) => method)).toEqual(['POST', 'GET'])
    }
  })

  it('stay within the emulator and are limited', async () => {
    const { fetch, faults } = redirect(307, 'https://elsewhere.example/notes')
    await expect(fetch(url, post('a'))).rejects.toMatchObject({ cause: { code: 'ENOTFOUND' } })
    faults.add({ times: 100, action: { kind: 'redirect', status: 307, location: '/notes' } })
    await expect(fetch(url, post('a'))).rejects.toMatchObject({ cause: { message: 'redirect count exceeded' } })
  })
})

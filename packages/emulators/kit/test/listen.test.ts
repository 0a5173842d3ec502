import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { notesEmulator, post } from './notes.ts'

async function listening() {
  const emulator = notesEmulator()
  onTestFinished(emulator.close)
  const { url, controlToken: token, close } = await emulator.listen()
  const authorization = `Bearer ${token}`
  const control = (path: string, init: RequestInit) => fetch(url + path, { ...init, headers: { authorization } })
  return { ...emulator, url, token, authorization, control, stop: close }
}

/** The response's status for a request with the given headers: fetch does not allow setting `Host`. */
function statusWith(headers: Readonly<Record<string, string>>, url: string, method = 'GET'): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, method }, (response) => {
      response.resume()
      resolve(response.statusCode)
    })
    sent.on('error', reject).end(method === 'POST' ? 'a' : undefined)
  })
}

describe('listen', () => {
  it('serves on loopback only', async () => {
    const { url, stop } = await listening()
    expect(new URL(url).hostname).toBe('127.0.0.1')
    expect(await (await fetch(`${url}/notes`)).json()).toEqual([{ id: 1, body: 'welcome' }])
    const socket = connect(Number(new URL(url).port), '127.0.0.2')
    await expect(once(socket, 'connect')).rejects.toThrow('ECONNREFUSED')
    await Promise.all([stop(), stop()])
    await expect(fetch(`${url}/notes`)).rejects.toThrow('fetch failed')
  })

  it('serves only the allowed paths', async () => {
    const { listen, url: whole, store } = await listening()
    const { url } = await listen({ serves: (path) => path === '/__emulator/rules' })
    const statuses = async (origin: string) =>
      Promise.all(['/notes', '/', '/__emulator/requests', '/__emulator/rules'].map(async (path) => (await fetch(origin + path)).status))
    expect([await statuses(url), store.requests(), await statuses(whole)]).toEqual([[404, 404, 404, 200], [], [200, 200, 200, 200]])
  })

  it('redacts secrets in logged URLs', async () => {
    const { url, store } = await listening()
    await fetch(`${url}/notes?a=1&secret=hush`)
    expect(store.requests()).toMatchObject([{ path: '/notes', query: 'a=1' }])
  })

  it('rejects ports that fetch blocks', async () => {
    await expect(notesEmulator().listen({ port: 6000 })).rejects.toThrow('fetch refuses')
  })

  it('does not replace the global Request and Response', async () => {
    const before = [globalThis.Request, globalThis.Response]
    await listening()
    expect([globalThis.Request, globalThis.Response]).toEqual(before)
  })

  it.each([
    ['evil.example:PORT'],
    ['127.0.0.1.evil.example:PORT'],
    ['evil.example'],
    ['[::2]:PORT'],
    ['127.0.0.1'],
    ['127.0.0.1:1'],
    ['localhost:80'],
    ['127.0.0.1:PORT', 'http://evil.example:PORT'],
    ['127.0.0.1:PORT', 'https://127.0.0.1:PORT'],
    ['127.0.0.1:PORT', 'http://127.0.0.1:1'],
    ['127.0.0.1:PORT', 'http://localhost:PORT'],
    ['127.0.0.1:PORT', 'null'],
    ['127.0.0.1:PORT', ''],
  ])('refuses the Host %s with the Origin %s for every path, and does nothing', async (host, origin?: string) => {
    const { url, store } = await listening()
    const [sent, from] = [host, origin].map((text) => text?.replace('PORT', new URL(url).port))
    const headers = { host: sent ?? '', ...(from !== undefined && { origin: from }) }
    for (const path of ['/notes', '/', '/__emulator/requests', '/nothing']) {
      for (const method of ['GET', 'POST', 'OPTIONS'])
        expect([path, method, await statusWith(headers, url + path, method)]).toEqual([path, method, 403])
    }
    expect([store.notes(), store.requests()]).toEqual([[{ id: 1, body: 'welcome' }], []])
  })

  it.each([
    ['127.0.0.1:PORT'],
    ['localhost:PORT'],
    ['LOCALHOST:PORT', 'http://localhost:PORT'],
    ['127.0.0.1:PORT', 'http://127.0.0.1:PORT'],
  ])('takes the Host %s with the Origin %s', async (host, origin?: string) => {
    const { url } = await listening()
    const [sent, from] = [host, origin].map((text) => text?.replace('PORT', new URL(url).port))
    const headers = { host: sent ?? '', ...(from !== undefined && { origin: from }) }
    for (const path of ['/notes', '/', '/__emulator/requests']) expect(await statusWith(headers, url + path)).toBe(200)
  })

  it('completes a pending response when it closes', async () => {
    const { url, stop, faults, store } = await listening()
    faults.add({ action: { kind: 'slow', milliseconds: 50 } })
    const slow = fetch(`${url}/notes`)
    while (store.requests().length === 0) await new Promise(setImmediate)
    await stop()
    expect((await slow).status).toBe(200)
    await expect(fetch(`${url}/notes`)).rejects.toThrow('fetch failed')
  })

  it('does not wait for a response that never comes', async () => {
    const { url, stop, faults, store } = await listening()
    faults.add({ action: { kind: 'hang' } })
    const hanging = fetch(`${url}/notes`)
    while (store.requests().length === 0) await new Promise(setImmediate)
    await Promise.all([expect(hanging).rejects.toThrow('fetch failed'), stop()])
  })

  it('ends hanging requests when the emulator closes', async () => {
    const { url, faults, close, store } = await listening()
    faults.add({ action: { kind: 'hang' } })
    const hanging = fetch(`${url}/notes`)
    while (store.requests().length === 0) await new Promise(setImmediate)
    await Promise.all([expect(hanging).rejects.toThrow('fetch failed'), close()])
  })

  it('notices a client that leaves before its body has arrived', async () => {
    const { url, store } = await listening()
    const sent = request(`${url}/notes`, { method: 'POST', headers: { 'content-length': '10' } })
    sent.on('error', () => undefined)
    await new Promise<void>((resolve) => {
      sent.write('half', () => {
        resolve()
      })
    })
    sent.destroy()
    await fetch(`${url}/notes`, post('whole'))
    expect(store.notes().map(({ body }) => body)).toEqual(['welcome', 'whole'])
  })
})

describe('control over HTTP', () => {
  it('sets faults and resets with the token', async () => {
    const { url, control, store } = await listening()
    const rule = { match: { path: '/notes' }, action: { kind: 'status', status: 503 } }
    const added = await control('/__emulator/faults', post(JSON.stringify([rule, rule])))
    expect([added.status, await added.json()]).toEqual([200, { faults: [rule, rule] }])
    expect((await fetch(`${url}/notes`)).status).toBe(503)
    expect((await control('/__emulator/faults', { method: 'DELETE' })).status).toBe(200)
    expect((await fetch(`${url}/notes`, post('a'))).status).toBe(201)
    expect((await control('/__emulator/reset', { method: 'POST' })).status).toBe(200)
    expect([store.notes(), store.requests()]).toEqual([[{ id: 1, body: 'welcome' }], []])
  })

  it.each(['', 'Bearer wrong', 'Basic abc'])('refuses the authorization %j', async (authorization) => {
    const { url, faults } = await listening()
    const headers = authorization === '' ? {} : { authorization }
    const statuses = await Promise.all([
      fetch(`${url}/__emulator/faults`, post('{"action":{"kind":"hang"}}', headers)),
      fetch(`${url}/__emulator/faults`, { method: 'DELETE', headers }),
      fetch(`${url}/__emulator/reset`, { method: 'POST', headers }),
    ])
    expect(statuses.map(({ status }) => status)).toEqual([401, 401, 401])
    expect(faults.pending()).toEqual([])
  })

  it('rejects the token of a closed listener', async () => {
    const { listen, authorization, stop } = await listening()
    await stop()
    const { url } = await listen()
    expect((await fetch(`${url}/__emulator/reset`, { method: 'POST', headers: { authorization } })).status).toBe(401)
  })

  it.each([
    ['not json', 'The body is not JSON.'],
    ['{"action":{"kind":"explode"}}', 'action'],
    ['{"action":{"kind":"status"}}', 'status'],
    ['{"action":{"kind":"status","status":99}}', 'status'],
    ['{"action":{"kind":"hang"},"time":2}', 'time'],
    ['{"action":{"kind":"chaos","seed":1,"rate":2,"kinds":["hang"]}}', 'rate'],
    ['[{"action":{"kind":"hang"}},{"match":{"path":"x"},"action":{"kind":"hang"}}]', 'path'],
  ])('refuses the rules %s in words', async (body, word) => {
    const { control, faults } = await listening()
    const response = await control('/__emulator/faults', post(body))
    expect(response.status).toBe(400)
    expect(await response.text()).toContain(word)
    expect(faults.pending()).toEqual([])
  })

  it('pages through logged requests, without its own routes', async () => {
    const { url } = await listening()
    for (const body of ['a', 'b', 'c']) await fetch(`${url}/notes`, post(body))
    const list = async (query: string) => (await fetch(`${url}/__emulator/requests${query}`)).json()
    expect(await list('')).toMatchObject({ requests: [{ id: 1, bytes: 1, status: 201 }, { id: 2 }, { id: 3 }] })
    expect(await list('?after=1&limit=1')).toMatchObject({ requests: [{ id: 2 }] })
    expect((await fetch(`${url}/__emulator/requests?limit=0`)).status).toBe(400)
    expect((await fetch(`${url}/__emulator/requests?after=x`)).status).toBe(400)
  })

  it('lists its rules as JSON and has no other routes', async () => {
    const { url } = await listening()
    expect(await (await fetch(`${url}/__emulator/rules`)).json()).toEqual({
      rules: [
        {
          id: 'notes/kept',
          text: 'Keeps <b>notes</b>.',
          verdict: 'documented',
          date: '2026-03-01',
          url: 'https://notes.example/docs',
          evidence: 'https://notes.example/docs',
        },
        {
          id: 'notes/ordered',
          text: 'Lists notes in the order in which they were written.',
          verdict: 'assumed',
          date: '2026-03-02',
          because: 'its app does',
          harm: 'result',
          evidence: 'its app does',
        },
      ],
    })
    expect((await fetch(`${url}/__emulator/nothing`)).status).toBe(404)
  })

  it('shows a page without scripts that leads to its tables', async () => {
    const { url } = await listening()
    const response = await fetch(url)
    const page = await response.text()
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const [, table = ''] of page.matchAll(/href="(\/__emulator\/\w+)"/g)) expect((await fetch(url + table)).status).toBe(200)
    expect(page).toContain('href="/__emulator/requests"')
    expect(page).not.toContain('<script')
    expect(page).toContain('<title>Notes &lt;API&gt; emulator</title>')
    const [style = ''] = /(?<=<style>)[\s\S]+(?=<\/style>)/.exec(page) ?? []
    const digest = createHash('sha256').update(style).digest('base64')
    expect(response.headers.get('content-security-policy')).toContain(`style-src 'sha256-${digest}'`)
  })

  it('is not reachable by an in-process fetch', async () => {
    const { fetch: inProcess } = await listening()
    expect((await inProcess('https://notes.example/__emulator/requests')).status).toBe(403)
    expect((await inProcess('http://localhost/__emulator/reset', { method: 'POST' })).status).toBe(401)
  })
})

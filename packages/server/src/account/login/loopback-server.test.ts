import { request as send, type IncomingHttpHeaders } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { type LoopbackOptions, openLoopbackServer } from './loopback-server.ts'

interface Received {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
}

/** A request with any `Host`, which fetch would not let through. */
async function browse(url: string, { method = 'GET', headers = {} }: Sent = {}): Promise<Received> {
  const { promise, resolve, reject } = Promise.withResolvers<Received>()
  const request = send(url, { method, headers }, (response) => {
    const parts: Uint8Array[] = []
    response.on('data', (part: Uint8Array) => parts.push(part))
    response.on('end', () => {
      resolve({ status: response.statusCode, headers: response.headers, body: Buffer.concat(parts).toString() })
    })
  })
  request.on('error', reject).end()
  return promise
}

async function openServer(options: Pick<LoopbackOptions, 'path'> = { path: '/callback' }) {
  const server = await openLoopbackServer({ state: 's-1', port: 0, title: 'Sign-in to Acme', ...options })
  onTestFinished(() => server.close())
  let returns = 0
  void server.browserReturn.then(() => {
    returns += 1
  })
  return { ...server, count: () => returns }
}

const done = { status: 200, title: 'Done <b>', paragraphs: ['As "Ada" <ada@acme.example> & co.'] }

it('accepts the return with its state, and shows the browser a page', async () => {
  const { redirectUri, browserReturn } = await openServer()
  expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const response = browse(`${redirectUri}?state=s-1&code=c-1`)
  const { query, respond } = await browserReturn
  expect(query.get('code')).toBe('c-1')
  await respond(done)
  const { status, headers, body } = await response
  expect(status).toBe(200)
  expect(body).toContain('<h1>Done &#60;b&#62;</h1>')
  expect(body).toContain('As &#34;Ada&#34; &#60;ada@acme.example&#62; &#38; co.')
  expect(body).toMatch(/<html lang="en">[\s\S]*<title>[\s\S]*<main>[\s\S]*role="status"/)
  expect(body).not.toMatch(/<script|<b>|href|src=|style="/)
  expect(headers).toMatchObject({ 'cache-control': 'no-store', 'referrer-policy': 'no-referrer', 'x-content-type-options': 'nosniff' })
  expect(headers['content-security-policy']).toMatch(
    /^default-src 'none'; style-src 'sha256-[^']+'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  )
})

it('refuses everything else, and goes on waiting', async () => {
  const { redirectUri, browserReturn, count } = await openServer()
  // A request accepted by mistake gets a response, so that the test fails instead of hanging.
  void browserReturn.then(({ respond }) => respond(done))
  const { origin } = new URL(redirectUri)
  const good = `${redirectUri}?state=s-1&code=c-1`
  const elsewhere = origin.replace('127.0.0.1', 'localhost')
  const refused: [string, Sent, number][] = [
    [`${redirectUri}?state=other&code=c-1`, {}, 400],
    [`${redirectUri}?state=s-1&state=s-1&code=c-1`, {}, 400],
    [`${redirectUri}?state=&code=c-1`, {}, 400],
    [`${redirectUri}?code=c-1`, {}, 400],
    [`${redirectUri}/?state=s-1&code=c-1`, {}, 404],
    [`${origin}/favicon.ico`, {}, 404],
    [`${origin}/?state=s-1&code=c-1`, {}, 404],
    [good, { method: 'POST' }, 405],
    [good, { method: 'HEAD' }, 405],
    [good, { headers: { host: new URL(elsewhere).host } }, 403],
    [good, { headers: { host: 'evil.example' } }, 403],
    [good, { headers: { host: '127.0.0.1' } }, 403],
    [good, { headers: { origin: 'https://evil.example' } }, 403],
    [good, { headers: { origin: 'null' } }, 403],
    [good, { headers: { origin: elsewhere } }, 403],
  ]
  for (const [url, sent, status] of refused) expect((await browse(url, sent)).status, `${url} ${JSON.stringify(sent)}`).toBe(status)
  expect(count()).toBe(0)
  expect((await browse(good, { headers: { origin } })).status).toBe(200)
  expect(count()).toBe(1)
})

it('accepts one return only', async () => {
  const { redirectUri, browserReturn } = await openServer()
  const first = browse(`${redirectUri}?state=s-1&code=c-1`)
  const { query, respond } = await browserReturn
  const statuses: (number | undefined)[] = []
  const second = browse(`${redirectUri}?state=s-1&code=c-2`).then(({ status }) => statuses.push(status))
  await expect.poll(() => statuses).toEqual([410])
  await second
  expect(query.get('code')).toBe('c-1')
  await respond(done)
  expect((await first).status).toBe(200)
})

it.runIf(process.platform === 'linux')('listens on one address only', async () => {
  const { redirectUri } = await openServer()
  // All of 127.0.0.0/8 is this machine.
  const other = redirectUri.replace('127.0.0.1', '127.0.0.2')
  await expect(browse(`${other}?state=s-1&code=c-1`)).rejects.toThrow('ECONNREFUSED')
})

it('has a random path where none is registered, and is gone when closed', async () => {
  const [one, other] = await Promise.all([openServer({}), openServer({})])
  const paths = [one, other].map(({ redirectUri }) => new URL(redirectUri).pathname)
  for (const path of paths) expect(path).toMatch(/^\/[\w-]{32}$/)
  expect(paths[0]).not.toBe(paths[1])
  const response = browse(`${one.redirectUri}?state=s-1&code=c`)
  await one.browserReturn
  await one.close()
  await expect(response).rejects.toThrow()
  await expect(browse(one.redirectUri)).rejects.toThrow('ECONNREFUSED')
})

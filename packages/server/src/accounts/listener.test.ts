import { request as send, type IncomingHttpHeaders } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { awaitReturn, type ReturnOptions } from './listener.ts'

interface Answered {
  readonly status: number | undefined
  readonly headers: IncomingHttpHeaders
  readonly body: string
}

interface Sent {
  readonly method?: string
  readonly headers?: Record<string, string>
}

/** A request with any `Host`, which fetch would not let through. */
async function browse(url: string, { method = 'GET', headers = {} }: Sent = {}): Promise<Answered> {
  const { promise, resolve, reject } = Promise.withResolvers<Answered>()
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

async function waiting(options: Pick<ReturnOptions, 'path'> = { path: '/callback' }) {
  const returning = await awaitReturn({ state: 's-1', port: 0, title: 'Sign-in to Acme', ...options })
  onTestFinished(() => returning.close())
  let brought = 0
  void returning.brought.then(() => {
    brought += 1
  })
  return { ...returning, count: () => brought }
}

const done = { status: 200, title: 'Done <b>', paragraphs: ['As "Ada" <ada@acme.example> & co.'] }

it('takes the one return that belongs to it, and tells the browser how that ended', async () => {
  const { redirectUri, brought } = await waiting()
  expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/)
  const answered = browse(`${redirectUri}?state=s-1&code=c-1`)
  const { query, answer } = await brought
  expect(query.get('code')).toBe('c-1')
  await answer(done)
  const { status, headers, body } = await answered
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

it('takes nothing else, and goes on waiting', async () => {
  const { redirectUri, brought, count } = await waiting()
  // What is taken by mistake is answered, so that it shows.
  void brought.then(({ answer }) => answer(done))
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

it('takes one return only', async () => {
  const { redirectUri, brought } = await waiting()
  const first = browse(`${redirectUri}?state=s-1&code=c-1`)
  const { query, answer } = await brought
  const statuses: (number | undefined)[] = []
  const second = browse(`${redirectUri}?state=s-1&code=c-2`).then(({ status }) => statuses.push(status))
  await expect.poll(() => statuses, { timeout: 5_000 }).toEqual([410])
  await second
  expect(query.get('code')).toBe('c-1')
  await answer(done)
  expect((await first).status).toBe(200)
})

it.runIf(process.platform === 'linux')('listens on one address alone', async () => {
  const { redirectUri } = await waiting()
  // The whole of 127.0.0.0/8 is this machine.
  const other = redirectUri.replace('127.0.0.1', '127.0.0.2')
  await expect(browse(`${other}?state=s-1&code=c-1`)).rejects.toThrow('ECONNREFUSED')
})

it('has a path that nobody can guess where none is registered, and is gone when closed', async () => {
  const [one, other] = await Promise.all([waiting({}), waiting({})])
  const paths = [one, other].map(({ redirectUri }) => new URL(redirectUri).pathname)
  for (const path of paths) expect(path).toMatch(/^\/[\w-]{32}$/)
  expect(paths[0]).not.toBe(paths[1])
  const answered = browse(`${one.redirectUri}?state=s-1&code=c`)
  await one.brought
  await one.close()
  await expect(answered).rejects.toThrow()
  await expect(browse(one.redirectUri)).rejects.toThrow('ECONNREFUSED')
})

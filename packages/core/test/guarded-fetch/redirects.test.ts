import { describe, expect, it } from 'vitest'
import { guardedFetch } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'
import { certificateFor } from './certificate.ts'
import { failure, resolves, source, textOf } from './sources.ts'

type Redirects = Readonly<Record<string, readonly [status: number, location: string]>>

/** Answers the named paths with redirects, and all others with content. */
const redirecting = (redirects: Redirects) =>
  source((request, response) => {
    const [status, location] = redirects[request.url ?? ''] ?? [200, '']
    response.writeHead(status, location === '' ? {} : { location }).end(status === 200 ? `content of ${request.url ?? ''}` : 'moved')
  })

const ofTheFile = 'Give the address of the file itself.'

describe('a redirect', () => {
  it.each([301, 302, 303, 307, 308])(
    'with status %i is followed, however its location is written, and the last URL is returned',
    async (status) => {
      await using second = await redirecting({})
      const last = `//SOURCE.example.:${second.port}/d?y=ä`
      await using first = await redirecting({
        '/a/b?x=1': [status, '../c#part'],
        '/c': [status, '?y=2'],
        '/c?y=2': [status, Buffer.from(last).toString('latin1')],
      })
      const fetch = guardedFetch({ ...first.options, allowPrivate: [first.host, second.host] })
      const response = await fetch(`${first.url}/a/b?x=1#here`)
      expect([response.status, response.url, await textOf(response)]).toEqual([200, `${second.url}/d?y=%C3%A4`, 'content of /d?y=%C3%A4'])
      expect(first.received.map(({ url }) => url)).toEqual(['/a/b?x=1', '/c', '/c?y=2'])
      expect(second.received.map(({ headers }) => headers.host)).toEqual([second.host])
      await expect.poll(() => [first.open.size, second.open.size]).toEqual([0, 0])
    },
  )

  it('is followed five times, not six', async () => {
    const steps = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`/${index}`, [302, `/${index + 1}`] as const]))
    await using server = await redirecting(steps)
    const fetch = guardedFetch(server.options)
    expect((await fetch(`${server.url}/4`)).status).toBe(200)
    const error = await failure(fetch(`${server.url}/3`))
    expect(error).toMatchObject({ code: 'invalid_input', message: `The URL redirects too often or in a circle. ${ofTheFile}` })
    expect(server.received.map(({ url }) => url).slice(6)).toEqual(['/3', '/4', '/5', '/6', '/7', '/8'])
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it.each([
    ['to itself', { '/a': [302, '/a'] }, 1],
    ['to nothing, which is itself', { '/a': [302, '#'] }, 1],
    ['in a circle of three', { '/a': [302, '/b'], '/b': [307, '/c'], '/c': [301, '/a#again'] }, 3],
  ] satisfies [string, Redirects, number][])('%s ends at once', async (_, redirects, requests) => {
    await using server = await redirecting(redirects)
    const error = await failure(guardedFetch(server.options)(`${server.url}/a`))
    expect(error).toMatchObject({ code: 'invalid_input', message: `The URL redirects too often or in a circle. ${ofTheFile}` })
    expect(server.received).toHaveLength(requests)
  })

  it('from https to http is rejected, even to an allowed host', async () => {
    await using plain = await redirecting({})
    const certificate = certificateFor('source.example')
    await using server = await source((_, response) => response.writeHead(302, { location: `${plain.url}/secret` }).end(), certificate)
    const allowPrivate = [server.host, plain.host]
    const fetch = guardedFetch({ ...server.options, allowPrivate, authorities: certificate.certificate })
    expect(await failure(fetch(server.url))).toMatchObject({
      code: 'invalid_input',
      message: `The URL redirects from https:// to http://, which is not followed. ${ofTheFile}`,
    })
    expect([server.received.length, plain.received.length]).toEqual([1, 0])
  })

  it('from http to https is followed, and the certificate of the new name is verified', async () => {
    const certificate = certificateFor('source.example')
    await using server = await source((_, response) => response.end('safe'), certificate)
    await using plain = await redirecting({ '/a': [301, `${server.url}/b`], '/c': [301, `https://other.example:${server.port}/d`] })
    const allowPrivate = [server.host, plain.host, `other.example:${server.port}`]
    const fetch = guardedFetch({ ...server.options, allowPrivate, authorities: certificate.certificate })
    expect(await textOf(await fetch(`${plain.url}/a`))).toBe('safe')
    expect(await failure(fetch(`${plain.url}/c`))).toMatchObject({ code: 'unavailable', details: { retryable: false } })
    expect(server.received.map(({ url }) => url)).toEqual(['/b'])
  })

  it('looks up the host again at every hop', async () => {
    await using server = await redirecting({ '/a': [302, '/b'] })
    const answers = [['127.0.0.1'], []]
    const lookup = (name: string) => resolves(...(answers.shift() ?? []))(name)
    expect(await failure(guardedFetch({ ...server.options, lookup })(`${server.url}/a`))).toMatchObject({ code: 'invalid_input' })
    expect([server.received.length, answers.length]).toEqual([1, 0])
  })

  it('without a location, or with a choice, is returned as it is', async () => {
    await using server = await source((request, response) => response.writeHead(request.url === '/300' ? 300 : 302).end('choose'))
    const fetch = guardedFetch(server.options)
    expect(await Promise.all(['/300', '/302'].map(async (path) => (await fetch(server.url + path)).status))).toEqual([300, 302])
  })
})

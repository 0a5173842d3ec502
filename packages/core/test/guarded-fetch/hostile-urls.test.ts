import { connect } from 'node:net'
import { describe, expect, it } from 'vitest'
import { InvalidInput } from '../../src/errors/errors.ts'
import { guardedFetch, type Connect } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'
import { hostileUrls, type HostileUrl } from './hostile-urls.ts'
import { canary, failure, resolves, source } from './sources.ts'

/** Text that would reveal something about the internal network, or repeat parts of the URL. */
const forbidden =
  /127|::|10\.|192|169|172|100\.|fe80|fd00|ff9b|localhost|loopback|metadata|example|passwd|secret|user:|token|\?|nip|local|inside|\d{2,}|E[A-Z]{4,}|errno|syscall|node:/

function refused(error: unknown): string {
  expect(error).toBeInstanceOf(InvalidInput)
  if (!(error instanceof InvalidInput)) throw error
  const { message, details, cause } = error
  expect(message).toMatch(
    /^(The URL|The address that the URL redirects to) [^.]*\. Give [^.]*\.( The operator of this server can [^.]*\.)?$/,
  )
  // The allowed ports are the same for all servers.
  expect(message.replace(/only 80 and 443( and \d+)? are/, '')).not.toMatch(forbidden)
  expect([details, cause]).toEqual([{}, undefined])
  return message
}

const lookupFor = ({ records }: HostileUrl) =>
  records ? resolves(...records) : () => Promise.reject(new Error('This name must not be looked up.'))

describe('a hostile URL', () => {
  it('is in a list of at least 60 without duplicates', () => {
    expect(hostileUrls.length).toBeGreaterThanOrEqual(60)
    expect(new Set(hostileUrls.map(({ url, records }) => JSON.stringify([url, records]))).size).toBe(hostileUrls.length)
  })

  it.each(hostileUrls)('reaches nothing: $url ($why)', async (hostile) => {
    await using bird = await canary()
    const fetch = guardedFetch({ ports: [80, 443, bird.port], lookup: lookupFor(hostile), connect: bird.leadHere })
    refused(await failure(fetch(hostile.url.replaceAll('{port}', String(bird.port)))))
    expect(bird.connections).toBe(hostile.rebinds ? 1 : 0)
    expect(bird.bytes).toBe(0)
  })

  it.each(hostileUrls.filter(({ url, records }) => url.includes('{port}') && !records))(
    'reaches nothing with the resolver and the connections of the system: $url ($why)',
    async ({ url }) => {
      await using bird = await canary()
      const fetch = guardedFetch({ ports: [80, 443, bird.port] })
      refused(await failure(fetch(url.replaceAll('{port}', String(bird.port)))))
      expect(bird.connections).toBe(0)
    },
  )

  it.each(hostileUrls.filter(({ redirect = true }) => redirect))('reaches nothing when redirected to: $url ($why)', async (hostile) => {
    await using bird = await canary()
    const location = hostile.url.replaceAll('{port}', String(bird.port)).replaceAll('\t', '')
    await using first = await source((_, response) => {
      response.writeHead(302, { location: Buffer.from(location).toString('latin1') }).end('moved')
    })
    const rest = lookupFor(hostile)
    const lookup = (name: string) => (name === 'source.example' ? first.options.lookup(name) : rest(name))
    const either: Connect = (options) => (options.port === first.port ? connect(options) : bird.leadHere(options))
    const fetch = guardedFetch({ ...first.options, ports: [80, 443, bird.port], lookup, connect: either })
    refused(await failure(fetch(first.url)))
    expect(first.received).toHaveLength(1)
    expect(bird.connections).toBe(hostile.rebinds ? 1 : 0)
    expect(bird.bytes).toBe(0)
  })
})

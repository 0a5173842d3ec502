import { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { InvalidInput, Unavailable } from '../../src/errors/errors.ts'
import { guardedFetch, type Connect, type NameLookup } from '../../src/upstream/guarded-fetch/guarded-fetch.ts'
import { certificateFor } from './certificate.ts'
import { inProcess } from './in-process.ts'
import { canary, failure, publicNetwork, rawSource, resolves, source, textOf } from './sources.ts'

const unknown: NameLookup = (name) => Promise.reject(Object.assign(new Error(`getaddrinfo ENOTFOUND ${name}`), { code: 'ENOTFOUND' }))
const away: NameLookup = (name) => Promise.reject(Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN' }))
const notPublic = new InvalidInput(
  'The URL does not lead to a public server: its host is unknown or not public. Give a link that anyone on the internet can open. The operator of this server can allow a host with --allow-private-urls.',
)
const unreachable = new Unavailable(
  "The URL's server could not be reached. Check the address, try again later, or give another link to the file.",
)

describe('a name', () => {
  it('that is unknown, has no addresses or is internal always gives the same error', async () => {
    const lookups = [
      unknown,
      resolves(),
      resolves('10.0.0.1'),
      resolves('127.0.0.1'),
      resolves('93.184.216.34', 'fd00::1'),
      resolves('nonsense'),
    ]
    for (const lookup of lookups) expect(await failure(guardedFetch({ lookup })('http://db.corp.example/'))).toEqual(notPublic)
  })

  it('that cannot be looked up at the moment gives a retryable error without the reason', async () => {
    const error = await failure(guardedFetch({ lookup: away })('http://db.corp.example/'))
    expect(error).toEqual(
      new Unavailable("The URL's host cannot be looked up at the moment. Try again later, or give another link to the file."),
    )
  })

  it('is looked up once for a connection, which can only use its addresses', async () => {
    const answers = [['93.184.216.34', '2606:4700::1111'], ['127.0.0.1']]
    const names: string[] = []
    const lookup = (name: string) => {
      names.push(name)
      return resolves(...(answers.shift() ?? []))(name)
    }
    const offered: unknown[] = []
    const connect: Connect = (options) => {
      options.lookup?.('ignored', { all: true }, (error, addresses) => offered.push(error, addresses))
      return new Socket().destroy(new Error('There is no network.'))
    }
    expect(await failure(guardedFetch({ lookup, connect })('http://www.rebinding.example./'))).toEqual(unreachable)
    expect(names).toEqual(['www.rebinding.example'])
    expect(offered).toEqual([
      null,
      [
        { address: '93.184.216.34', family: 4 },
        { address: '2606:4700::1111', family: 6 },
      ],
    ])
  })

  it('with an unreachable address is reached at the next one', async () => {
    await using server = await source((_, response) => response.end('here'))
    const fetch = guardedFetch({ ...server.options, lookup: resolves('::1', '127.0.0.1') })
    expect(await textOf(await fetch(server.url))).toBe('here')
  })
})

describe('a public server', () => {
  it('gets a request with its own name and no other headers', async () => {
    await using server = await source((_, response) => response.end('public'))
    const fetch = guardedFetch({ lookup: resolves('93.184.216.34'), connect: publicNetwork(server.port, '93.184.216.34') })
    const response = await fetch('http://Public.Example.:80/a%20b?c=d#e')
    expect([response.status, response.url, await textOf(response)]).toEqual([200, 'http://public.example/a%20b?c=d', 'public'])
    const headers = {
      host: 'public.example',
      accept: '*/*',
      'accept-encoding': 'identity',
      'user-agent': 'mcp-toolkits',
      connection: 'close',
    }
    expect(server.received).toEqual([{ method: 'GET', url: '/a%20b?c=d', headers }])
    await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
  })

  it('over TLS is verified for the name or the address in the URL', async () => {
    const names: (string | false | null)[] = []
    for (const [host, address] of [
      ['public.example', '93.184.216.34'],
      ['93.184.216.34', '93.184.216.34'],
    ] as const) {
      const certificate = certificateFor(host)
      await using server = await source((_, response) => response.end('verified'), certificate)
      server.server.on('secureConnection', (socket: { servername: string | false | null }) => names.push(socket.servername))
      const connect = publicNetwork(server.port, address)
      const options = { lookup: resolves(address), connect, authorities: certificate.certificate }
      expect(await textOf(await guardedFetch(options)(`https://${host}/`))).toBe('verified')
      expect(server.received[0]?.headers.host).toBe(host)
      const elsewhere = await failure(
        guardedFetch(options)(host === 'public.example' ? 'https://other.example/' : 'https://public.example/'),
      )
      expect(elsewhere).toMatchObject({ code: 'unavailable', details: { retryable: false } })
      expect(server.received).toHaveLength(1)
      await expect.poll(() => server.open.size, { interval: 1 }).toBe(0)
    }
    expect(names.filter((name) => name !== 'other.example')).toEqual(['public.example', false])
  })

  it('must have one of the addresses that were looked up', async () => {
    await using bird = await canary()
    const fetch = guardedFetch({ lookup: resolves('93.184.216.34'), connect: publicNetwork(bird.port, '1.1.1.1') })
    expect(await failure(fetch('http://public.example/'))).toEqual(notPublic)
    expect(bird.bytes).toBe(0)
  })

  it('with a self-signed certificate is not trusted', async () => {
    await using server = await source((_, response) => response.end('secret'), certificateFor('source.example'))
    expect(await failure(guardedFetch(server.options)(server.url))).toEqual(
      new Unavailable("The URL's server has no valid certificate for its name. Give a link to the file on another server.", {
        retryable: false,
      }),
    )
    expect(server.received).toEqual([])
  })

  it('that speaks another protocol gives an error without its text', async () => {
    await using banner = await rawSource((socket) => socket.end('SSH-2.0-secret_banner\r\n'))
    const fetch = guardedFetch(banner.options)
    expect(await failure(fetch(banner.url.replace('http', 'https')))).toEqual(unreachable)
    expect(await failure(fetch(banner.url))).toEqual(
      new Unavailable("The URL's server did not send a valid HTTP response. Check the address, or give another link to the file."),
    )
    await expect.poll(() => banner.open.size, { interval: 1 }).toBe(0)
  })

  it('without a listener is unreachable', async () => {
    const server = await source(() => undefined)
    await server[Symbol.asyncDispose]()
    expect(await failure(guardedFetch(server.options)(server.url))).toEqual(unreachable)
  })
})

describe('an allowed host', () => {
  it.each([
    ['localhost', 'http://localhost:PORT/'],
    ['LOCALHOST', 'http://localhost.:PORT/'],
    ['localhost:PORT', 'http://LOCALHOST:PORT/'],
    ['localhost.:PORT', 'http://localhost:PORT/'],
    ['127.0.0.1', 'http://0x7f.1:PORT/'],
    ['127.1:PORT', 'http://127.0.0.1:PORT/'],
    ['minio', 'http://minio:PORT/'],
    ['deep.source.example', 'http://deep.source.example:PORT/'],
  ])('written %s is fetched as %s', async (entry, url) => {
    await using server = await source((_, response) => response.end('allowed'))
    const write = (text: string) => text.replace('PORT', String(server.port))
    const fetch = guardedFetch({ allowPrivate: ['other.example', write(entry)], lookup: resolves('127.0.0.1') })
    expect(await textOf(await fetch(write(url)))).toBe('allowed')
  })

  it.each([
    ['source.example:1', 'http://source.example:PORT/'],
    ['source.example', 'http://deep.source.example:PORT/'],
    ['source.example', 'http://source.example.evil.example:PORT/'],
    ['deep.source.example', 'http://source.example:PORT/'],
    ['localhost', 'http://127.0.0.1:PORT/'],
    ['127.0.0.1', 'http://localhost:PORT/'],
    ['127.0.0.1', 'http://[::ffff:127.0.0.1]:PORT/'],
    ['source.example:PORT', 'http://source.example/'],
    ['source.example', 'ftp://source.example/'],
    ['source.example', 'http://user:secret@source.example:PORT/'],
  ])('written %s does not allow %s', async (entry, url) => {
    await using bird = await canary()
    const write = (text: string) => text.replace('PORT', String(bird.port))
    const fetch = guardedFetch({ allowPrivate: [write(entry)], lookup: resolves('127.0.0.1'), ports: [80, 443, bird.port] })
    expect(await failure(fetch(write(url)))).toBeInstanceOf(InvalidInput)
    expect(bird.connections).toBe(0)
  })

  it('is reached only at the addresses of its name', async () => {
    await using bird = await canary()
    const options = { allowPrivate: [`source.example:${bird.port}`], lookup: resolves('93.184.216.34'), connect: bird.leadHere }
    expect(await failure(guardedFetch(options)(`http://source.example:${bird.port}/`))).toEqual(notPublic)
    expect([bird.connections, bird.bytes]).toEqual([1, 0])
  })

  it('over IPv6 is written with or without brackets', async () => {
    const asked: unknown[] = []
    const connect = (options: { port: number; host?: string | undefined }) => {
      asked.push([options.host, options.port])
      return new Socket().destroy(new Error('There is no network.'))
    }
    for (const entry of ['::1', '[::1]', '[0::1]:8080']) {
      expect(await failure(guardedFetch({ allowPrivate: [entry], connect })('http://[0:0::1]:8080/'))).toEqual(unreachable)
    }
    expect(asked).toEqual([
      ['::1', 8080],
      ['::1', 8080],
      ['::1', 8080],
    ])
    expect(await failure(guardedFetch({ allowPrivate: ['[::1]:8080'], connect })('http://[::1]:8081/'))).toEqual(notPublic)
  })

  it.each([
    '',
    ' ',
    '*',
    '*.example.com',
    'http://minio:9000',
    'minio:9000/bucket',
    'user@minio',
    'minio:port',
    'minio:123456',
    '10.0.0.0/8',
    'a b',
    '[::1',
    'minio:81:90',
    'minio:80:90',
    '[::1]:80:90',
    'minio:0',
    'minio:65536',
    'localhost:99999',
  ])('cannot be written %j', (entry) => {
    expect(() => guardedFetch({ allowPrivate: [entry] })).toThrow(InvalidInput)
  })
})

describe('the environment', () => {
  it('adds no proxy and turns off no verification', async () => {
    let proxied = 0
    await using proxy = await rawSource((socket) => {
      proxied += 1
      socket.once('data', () => socket.end('HTTP/1.1 502 Bad Gateway\r\nConnection: close\r\nContent-Length: 0\r\n\r\n'))
    })
    await using plain = await source((_, response) => response.end('straight'))
    await using server = await source((_, response) => response.end('secret'), certificateFor('localhost'))
    const variables = ['http_proxy', 'https_proxy', 'all_proxy'].flatMap((name) => [name, name.toUpperCase()])
    const environment = {
      NODE_USE_ENV_PROXY: '1',
      NODE_TLS_REJECT_UNAUTHORIZED: '0',
      ...Object.fromEntries(variables.map((name) => [name, `http://127.0.0.1:${proxy.port}`])),
    }
    const lines = await inProcess(
      'fetch-in-process.ts',
      [`http://localhost:${plain.port}/`, `https://localhost:${server.port}/`],
      environment,
    )
    // The first line proves that the environment would have had an effect.
    expect(lines).toEqual([
      { globalFetch: 'failed' },
      { text: 'straight' },
      expect.objectContaining({ code: 'unavailable', retryable: false }),
    ])
    expect([proxied, server.received]).toEqual([1, []])
  })
})

import { describe, expect, it } from 'vitest'
import {
  basicAuthorization,
  isLoopback,
  isSecureUrl,
  readBaseUrl,
  readSecret,
  restrictOrigins,
  Secret,
  withAuthorization,
} from './credentials.ts'
import { Unauthenticated } from '../errors/errors.ts'
import type { Fetch } from './transport/response.ts'

function refusal(run: () => unknown): string {
  try {
    run()
  } catch (error) {
    if (error instanceof Unauthenticated) return error.message
  }
  throw new Error('Not refused.')
}

describe('readSecret', () => {
  const read = (value: string | undefined) => readSecret({ API_KEY: value }, 'API_KEY')

  it('reads a variable, or gives undefined when it is not set', () => {
    expect(read('k-1/2+3=~$')?.reveal()).toBe('k-1/2+3=~$')
    for (const value of ['a$KEY', 'a${KEY}', '${KEY}b', '$KEY-b', 'a<b>', '<b>a']) expect(read(value)?.reveal()).toBe(value)
    expect(read(undefined)).toBeUndefined()
    expect(readSecret({}, 'API_KEY')).toBeUndefined()
  })

  it.each(['', ' ', '\t\n'])('rejects an empty value (%j)', (value) => {
    expect(refusal(() => read(value))).toBe('API_KEY is set but empty. Set it to the key, or unset it.')
  })

  it.each(['${API_KEY}', '${input:key}', '${env:API_KEY}', '$API_KEY', '$KEY_2', '$key', '<API_KEY>', '<your key>', ' ${X} '])(
    'refuses a placeholder (%j)',
    (value) => {
      expect(refusal(() => read(value))).toBe('API_KEY still holds a placeholder. Put the key itself there, or unset it.')
    },
  )

  it.each([
    ['"canary"', 'contains quotation marks around the key. Remove them.'],
    ["'canary'", 'contains quotation marks around the key. Remove them.'],
    ['API_KEY=canary', 'holds NAME=value. Put only the key there, without the name before it.'],
    ['export API_KEY=canary', 'holds NAME=value. Put only the key there, without the name before it.'],
    ['Bearer canary', 'holds a whole header. Put only the key there, without the word before it.'],
    ['Authorization: Bearer canary', 'holds a whole header. Put only the key there, without the word before it.'],
  ])('names the mistake in %s, without repeating the key', (value, mistake) => {
    expect(refusal(() => read(value))).toBe(`API_KEY ${mistake}`)
  })

  it('names a different kind of key, and where it belongs', () => {
    const prefixes = { lin_api_: 'API_KEY', lin_oauth_: 'API_TOKEN' }
    const readKind = (value: string) => readSecret({ API_KEY: value }, 'API_KEY', 'key', prefixes)
    for (const value of ['lin_api_canary', 'canary', 'sk', 'AIZA']) expect(readKind(value)?.reveal()).toBe(value)
    expect(refusal(() => readKind('lin_oauth_canary'))).toBe(
      'API_KEY holds a Linear OAuth access token. Put it into API_TOKEN, and unset API_KEY.',
    )
    expect(refusal(() => readKind('AIzaCanary'))).toBe(
      'API_KEY holds a Google API key, which identifies no account. Put the right key there, or unset it.',
    )
    expect(read('AIzaCanary')?.reveal()).toBe('AIzaCanary')
  })

  it.each(['canary-1 canary-2', 'canary\n', ' canary', 'canary\u00a0', 'canäry', 'canary\0'])(
    'refuses a value that cannot be a key (%j), without repeating it',
    (value) => {
      const message = refusal(() => read(value))
      expect(message).toBe('API_KEY contains a space, a line break or a character that no key has. Copy the key again.')
    },
  )
})

describe('readBaseUrl', () => {
  const read = (value: string | undefined) => readBaseUrl({ API_URL: value }, 'API_URL')

  it.each([
    ['https://api.acme.example/v1', 'https://api.acme.example/v1'],
    ['https://api.acme.example/v1//', 'https://api.acme.example/v1'],
    ['https://api.acme.example', 'https://api.acme.example'],
    ['https://10.0.0.1:8443/v1/', 'https://10.0.0.1:8443/v1'],
    ['http://localhost:3000/v1', 'http://localhost:3000/v1'],
    ['http://LOCALHOST/', 'http://localhost'],
    ['http://127.0.0.1:3000/', 'http://127.0.0.1:3000'],
    ['http://127.9.8.7', 'http://127.9.8.7'],
    ['http://127.1', 'http://127.0.0.1'],
    ['http://[::1]:3000/v1', 'http://[::1]:3000/v1'],
  ])('accepts %s', (value, url) => {
    expect(read(value)).toBe(url)
  })

  it.each([
    ['http://api.acme.example/v1', 'must begin with https://'],
    ['http://10.0.0.1/v1', 'must begin with https://'],
    ['http://0.0.0.0/v1', 'must begin with https://'],
    ['http://localhost.acme.example', 'must begin with https://'],
    ['http://127.0.0.1.acme.example', 'must begin with https://'],
    ['http://[::2]', 'must begin with https://'],
    ['ftp://localhost', 'must begin with https://'],
    ['file:///etc/passwd', 'must begin with https://'],
    ['javascript:alert(1)', 'must begin with https://'],
    ['https://user:canary@api.acme.example', 'must not contain a user name or password'],
    ['https://canary@api.acme.example', 'must not contain a user name or password'],
    ['https://:canary@api.acme.example', 'must not contain a user name or password'],
    ['https://api.acme.example/v1?key=canary', 'must not contain a query or a fragment'],
    ['https://api.acme.example/v1#canary', 'must not contain a query or a fragment'],
    ['api.acme.example', 'is not a URL'],
    ['https://', 'is not a URL'],
    ['${API_URL}', 'is not a URL'],
    ['', 'is not a URL'],
  ])('rejects %s without repeating it', (value, why) => {
    const message = refusal(() => read(value))
    expect(message).toContain(`API_URL ${why}`)
    expect(message).not.toContain('canary')
  })

  it('is undefined when the variable is not set', () => {
    expect(read(undefined)).toBeUndefined()
  })
})

describe('isSecureUrl', () => {
  it.each(['https://acme.example', 'http://localhost:1', 'http://127.0.0.1/x'])('accepts %s', (url) => {
    expect(isSecureUrl(url)).toBe(true)
  })
  it.each(['http://acme.example', 'ftp://localhost', 'https://user@acme.example', 'https://:word@acme.example', 'acme', ''])(
    'refuses %j',
    (url) => {
      expect(isSecureUrl(url)).toBe(false)
    },
  )
})

describe('isLoopback', () => {
  it.each(['localhost', '[::1]', '127.0.0.1', '127.255.255.254'])('accepts %s', (hostname) => {
    expect(isLoopback(hostname)).toBe(true)
  })
  it.each([
    'localhost.example',
    'x127.0.0.1',
    '127.0.0.1111',
    'notlocalhost',
    '128.0.0.1',
    '127.0.0.1.example',
    '127.0.0',
    '[::]',
    '0.0.0.0',
    '',
  ])('refuses %j', (hostname) => {
    expect(isLoopback(hostname)).toBe(false)
  })
})

describe('withAuthorization', () => {
  const sent: Request[] = []
  const below: Fetch = (input, init) => {
    sent.push(new Request(input, init))
    return Promise.resolve(new Response('ok'))
  }
  const fetch = withAuthorization(below, 'https://api.acme.example/v1', () => basicAuthorization(new Secret('key')))

  it('adds the credential and changes nothing else', async () => {
    sent.length = 0
    await fetch('https://api.acme.example/v2/track', { method: 'POST', body: 'ä', headers: { 'x-strict-mode': '1' } })
    const [request] = sent
    expect(request?.url).toBe('https://api.acme.example/v2/track')
    expect(request?.headers.get('authorization')).toBe(`Basic ${Buffer.from('key:').toString('base64')}`)
    expect(request?.headers.get('x-strict-mode')).toBe('1')
    expect(await request?.text()).toBe('ä')
  })

  it('replaces a credential', async () => {
    sent.length = 0
    await fetch(new Request('https://api.acme.example/', { headers: { authorization: 'Bearer other' } }))
    expect(sent.map(({ headers }) => headers.get('authorization'))).toEqual(['Basic a2V5Og=='])
  })

  it('follows no redirect, not even one to the same origin', async () => {
    sent.length = 0
    await fetch('https://api.acme.example/', { redirect: 'follow' })
    await fetch(new Request('https://api.acme.example/', { redirect: 'follow' }))
    expect(sent.map(({ redirect }) => redirect)).toEqual(['manual', 'manual'])
  })

  it.each([
    'https://other.example/v1',
    'http://api.acme.example/v1',
    'https://api.acme.example:8443/v1',
    'https://api.acme.example.other.example/',
    'https://api.acme.example@other.example/',
  ])('sends nothing to %s', async (url) => {
    sent.length = 0
    await expect(fetch(url)).rejects.toThrow(/about to leave the configured origin|includes credentials/)
    expect(sent).toHaveLength(0)
  })
})

describe('the credential of a request', () => {
  it("is requested anew for each request, with the caller's signal", async () => {
    const sent: [string | null, AbortSignal | null | undefined][] = []
    let count = 0
    const fetch = withAuthorization(
      (input, init) => {
        sent.push([new Request(input, init).headers.get('authorization'), init?.signal])
        return Promise.resolve(new Response('ok'))
      },
      'https://acme.example',
      () => `Bearer ${(count += 1)}`,
    )
    const { signal } = new AbortController()
    await fetch('https://acme.example/', { signal })
    await fetch(new URL('https://acme.example/'))
    const request = new Request('https://acme.example/', { signal })
    await fetch(request)
    expect(sent.map(([authorization]) => authorization)).toEqual(['Bearer 1', 'Bearer 2', 'Bearer 3'])
    expect([sent[0]?.[1] === signal, sent[2]?.[1] === request.signal]).toEqual([true, true])
  })

  it('is not sent for a call that has since ended', async () => {
    let sent = 0
    const below: Fetch = () => Promise.resolve(new Response(String((sent += 1))))
    const controller = new AbortController()
    const fetch = withAuthorization(below, 'https://acme.example', () => {
      controller.abort(new Error('left'))
      return 'Bearer x'
    })
    await expect(fetch('https://acme.example/', { signal: controller.signal })).rejects.toThrow('left')
    expect(sent).toBe(0)
  })
})

describe('restrictOrigins', () => {
  it('allows the origins of its URLs, adds nothing and follows no redirect', async () => {
    const sent: Request[] = []
    const below: Fetch = (input, init) => {
      sent.push(new Request(input, init))
      return Promise.resolve(new Response('ok'))
    }
    const fetch = restrictOrigins(below, ['https://acme.example/token', 'https://oauth.acme.example/revoke'])
    for (const url of ['https://acme.example/token?x', 'https://oauth.acme.example/other']) await fetch(url, { method: 'POST', body: 'b' })
    expect(sent.map(({ redirect, headers }) => [redirect, headers.has('authorization')])).toEqual([
      ['manual', false],
      ['manual', false],
    ])
    for (const url of ['https://api.acme.example/', 'http://acme.example/token', 'https://acme.example:8443/']) {
      await expect(fetch(url)).rejects.toThrow(TypeError)
    }
    expect(sent).toHaveLength(2)
  })
})

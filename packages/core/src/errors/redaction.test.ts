import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { InvalidInput, errorToJson } from './errors.ts'
import { basicAuthorization, readToken, Secret } from '../upstream/credentials.ts'
import { mapTexts } from '../base/json.ts'
import { sentence } from './message.ts'
import { redact, rememberSecret } from './redaction.ts'

let count = 0
/** A secret unique to this test. */
const newSecret = (tail = '') => new Secret(`canary-${(count += 1)}-0123456789${tail}`)

describe('redact', () => {
  it.each([
    ['as it is', (value: string) => value],
    ['as a user name of Basic authentication', (value: string) => basicAuthorization(new Secret(value)).replace(/={1,2}$/, '')],
    [
      'in base64',
      (value: string) =>
        Buffer.from(value)
          .toString('base64')
          .replace(/={1,2}$/, ''),
    ],
    ['in base64url', (value: string) => Buffer.from(`${value}:`).toString('base64url')],
    ['encoded as in a URL', encodeURIComponent],
    ['encoded as in a URL in lower case', (value: string) => encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase())],
    ['in JSON', (value: string) => JSON.stringify(value).slice(1, -1)],
    ['in JSON with escaped slashes', (value: string) => JSON.stringify(value).slice(1, -1).replaceAll('/', '\\/')],
  ])('replaces a secret that is repeated %s', (_, encode) => {
    for (const tail of ['', '/+"\\?>', 'ab', 'abc', '>>>???']) {
      const value = newSecret(tail).reveal()
      const shown = redact(`Key ${encode(value)} is not valid: ${encode(value)}.`)
      expect(shown.replaceAll('Basic ', '')).toBe('Key [secret] is not valid: [secret].')
    }
  })

  it.each(['k', 'abcd', '0123456789'])('replaces all of a secret that repeats %j, even at the beginning of text', (part) => {
    const value = new Secret(part.repeat(8)).reveal()
    for (const text of [value, `${value}.`, `${value} ${value}`, `x${value}`]) expect(redact(text)).toBe(text.replaceAll(value, '[secret]'))
  })

  it('finds secrets at any place in any text, and changes nothing else', () => {
    const secrets = [newSecret().reveal(), newSecret('==').reveal(), newSecret('/x').reveal()]
    const texts = fc.array(fc.oneof(fc.string({ unit: 'binary', maxLength: 20 }), fc.constantFrom(...secrets)), { maxLength: 12 })
    fc.assert(
      fc.property(texts, (parts) => {
        const expected = parts.map((part) => (secrets.includes(part) ? '[secret]' : part))
        expect(redact(parts.join(''))).toBe(expected.join(''))
      }),
    )
  })

  it('leaves no part of secrets that overlap or contain each other', () => {
    const [inner, outer] = [newSecret().reveal(), newSecret().reveal()]
    rememberSecret(`${inner}-and-more`)
    rememberSecret(`${inner.slice(-10)}${outer}`)
    expect(redact(`<${inner}-and-more>`)).toBe('<[secret]>')
    expect(redact(`<${inner}${outer}>`)).toBe('<[secret]>')
    rememberSecret(`${inner} ${outer} and more`)
    expect(redact(`<${inner} ${outer} and more>`)).toBe('<[secret]>')
  })

  it('leaves short values alone, which occur in ordinary text', () => {
    const short = new Secret('event')
    expect(redact(`An ${short.reveal()} was sent.`)).toBe('An event was sent.')
  })

  it('knows values as long as a header can be, and leaves longer ones alone', () => {
    const longest = newSecret().reveal().padEnd(16_384, 'x')
    rememberSecret(longest)
    expect(redact(`<${longest}>`)).toBe('<[secret]>')
    const tooLong = 'too-long-'.padEnd(16_385, 'y')
    rememberSecret(tooLong)
    expect(redact(tooLong)).toBe(tooLong)
  })

  it('leaves public keys and values that are not credentials alone', () => {
    const key = new Secret('a-key-of-an-emulator', { isRedacted: false })
    const id = readToken({ CLIENT_ID: 'client-id-0123456789' }, 'CLIENT_ID', 'client id')
    expect(redact(`${key.reveal()} ${id ?? ''}`)).toBe('a-key-of-an-emulator client-id-0123456789')
  })

  it('knows ten thousand secrets at once', () => {
    const values = Array.from({ length: 10_000 }, () => newSecret().reveal())
    expect(redact(values.join('\n'))).toBe(values.map(() => '[secret]').join('\n'))
    const [oldest = '', ...others] = values
    newSecret().reveal()
    expect(redact(oldest)).toBe(oldest)
    expect(redact(others.join('\n'))).toBe(others.map(() => '[secret]').join('\n'))
  })

  /** If each new secret rebuilt the whole index, this would take minutes and exceed the test's timeout. */
  it('forgets one secret for each new one, in every spelling, while texts are redacted', () => {
    const values = Array.from({ length: 11_000 }, (_, index) => `/turn+${index}/${(count += 1)}-0123456789`)
    const encode = (value: string) => [value, encodeURIComponent(value), Buffer.from(value).toString('base64url')].join(' ')
    for (const value of values.slice(0, 10_000)) rememberSecret(value)
    for (const [index, value] of values.slice(10_000).entries()) {
      const [first = '', second = ''] = values.slice(index, index + 2)
      rememberSecret(value)
      expect(redact(`${encode(first)} ${encode(second)} ${encode(value)}`)).toBe(`${encode(first)}${' [secret]'.repeat(6)}`)
    }
  })

  it('knows four mebibytes of secrets at once', () => {
    const values = Array.from({ length: 256 }, () => newSecret().reveal().padEnd(16_384, 'x'))
    for (const value of values) rememberSecret(value)
    const [oldest = '', second = ''] = values
    expect(redact(oldest)).toBe('[secret]')
    newSecret().reveal()
    expect(redact(oldest)).toBe(oldest)
    expect(redact(second)).toBe('[secret]')
  })

  it('knows the secrets in use, however many there were, and forgets the least recently used ones', () => {
    const [kept, unused] = [newSecret(), newSecret()]
    const value = unused.reveal()
    for (let index = 0; index < 11_000; index += 1) {
      newSecret()
      kept.reveal()
    }
    expect(redact(kept.reveal())).toBe('[secret]')
    expect(redact(value)).toBe(value)
    unused.reveal()
    expect(redact(value)).toBe('[secret]')
  })
})

it('replaces secrets in the names and values of an object, and keeps an object without any', () => {
  const secret = newSecret().reveal()
  const harmless = { a: [{ b: 'text' }, 1, null, true] }
  expect(mapTexts(harmless, redact)).toBe(harmless)
  expect(mapTexts({ [`x-${secret}`]: [{ deep: [secret, 1] }], ...harmless }, redact)).toEqual({
    'x-[secret]': [{ deep: ['[secret]', 1] }],
    ...harmless,
  })
})

it('stores an error without the secrets in it', () => {
  const secret = newSecret().reveal()
  const error = new InvalidInput(sentence`No ${secret}. See ${{ tool: 'Acme.List' }}.`, {
    errors: [secret],
    suggestions: [{ value: secret, confidence: 1 }],
    next: { tool: 'Acme.List', arguments: { key: [secret] }, command: `acme ${secret}` },
  })
  const stored = JSON.stringify(errorToJson(error))
  expect(stored).not.toContain(secret)
  expect(stored).toBe(JSON.stringify({ ...error.toJSON(), text: error.text }).replaceAll(secret, '[secret]'))
})

import { inspect, format } from 'node:util'
import { describe, expect, it } from 'vitest'
import { Secret } from './credentials.ts'

const secret = new Secret('canary')

describe('a secret', () => {
  it.each([
    ['as text', String(secret)],
    ['in a template', `${String(secret)} ${[secret].join('')}`],
    ['as JSON', JSON.stringify({ nested: [secret] })],
    ['inspected', inspect(secret, { showHidden: true })],
    ['inspected in an object', inspect({ a: { b: { c: { d: [secret] } } } }, { depth: Infinity, showHidden: true })],
    ['inspected without its own say', inspect({ secret }, { depth: Infinity, showHidden: true, customInspect: false })],
    ['inspected as the cause of an error', inspect(new Error('failed', { cause: { request: { secret } } }), { depth: Infinity })],
    ['formatted', format('%s %o %O %j', secret, secret, secret, secret)],
    ['listed', JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret)])],
    ['cloned', inspect(structuredClone(secret), { showHidden: true })],
  ])('does not show %s', (_, text) => {
    expect(text).not.toContain('canary')
  })

  it('shows that it is a secret', () => {
    expect([String(secret), JSON.stringify(secret), inspect(secret)]).toEqual(['[secret]', '"[secret]"', '[secret]'])
  })

  it('is returned by reveal', () => {
    expect(secret.reveal()).toBe('canary')
  })
})

describe('a fingerprint', () => {
  it('is the same only for the same credential and key, and contains neither', () => {
    const prints = [secret, new Secret('canary2')].flatMap((each) => [each.fingerprint('key'), each.fingerprint('other')])
    expect(new Set(prints).size).toBe(4)
    expect(new Secret('canary').fingerprint('key')).toBe(prints[0])
    for (const print of prints) expect(print).toMatch(/^[0-9a-f]{64}$/)
  })
})

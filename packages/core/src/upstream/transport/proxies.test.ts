import { expect, it } from 'vitest'
import { isProxyFailure, rememberProxy } from './proxies.ts'

const failure = (facts: object) => Object.assign(new Error('connect'), facts)
const refused = (address: string, port: number) => failure({ code: 'ECONNREFUSED', address, port })

it('tells a proxy from a vendor on the same port', () => {
  rememberProxy(new URL('http://127.0.0.1:8080'))
  expect([isProxyFailure(refused('127.0.0.1', 8080)), isProxyFailure(refused('10.0.0.5', 8080))]).toEqual([true, false])
  rememberProxy(new URL('http://[::1]:3128'))
  expect([isProxyFailure(refused('::1', 3128)), isProxyFailure(refused('10.0.0.5', 3128))]).toEqual([true, false])
})

it('knows two proxies on one port', () => {
  rememberProxy(new URL('http://127.0.0.3:8081'))
  rememberProxy(new URL('http://127.0.0.2:8081'))
  expect([isProxyFailure(refused('127.0.0.3', 8081)), isProxyFailure(refused('127.0.0.2', 8081))]).toEqual([true, true])
})

it('recognizes a named proxy by its name, and by its port', () => {
  rememberProxy(new URL('https://proxy.example'))
  const missing = (hostname: string) => isProxyFailure(failure({ code: 'ENOTFOUND', hostname }))
  expect([missing('proxy.example'), missing('api.example')]).toEqual([true, false])
  expect([isProxyFailure(refused('192.0.2.1', 443)), isProxyFailure(refused('192.0.2.1', 80))]).toEqual([true, false])
  expect(isProxyFailure(new AggregateError([refused('192.0.2.1', 443)]))).toBe(true)
})

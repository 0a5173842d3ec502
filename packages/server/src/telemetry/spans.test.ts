import fc from 'fast-check'
import { expect, it } from 'vitest'
import { routeOf } from './spans.ts'

it.each([
  ['https://api.linear.app/graphql', 'api.linear.app', '/graphql'],
  ['https://cdp.customer.io/v1/track', 'cdp.customer.io', '/v1/track'],
  ['https://www.googleapis.com/drive/v3/files/1AbCdEfGhIjKlMnOpQrStUvWxYz012345?fields=name', 'www.googleapis.com', '/drive/v3/files/{id}'],
  ['https://www.googleapis.com/drive/v3/files/generateIds', 'www.googleapis.com', '/drive/v3/files/generateIds'],
  [
    'https://www.googleapis.com/drive/v3/files/abcdefghijklmnopqrstuvwx/permissions/01234567890',
    'www.googleapis.com',
    '/drive/v3/files/{id}/permissions/{id}',
  ],
  ['https://www.googleapis.com/upload/drive/v3/files/?upload_id=ABC', 'www.googleapis.com', '/upload/drive/v3/files/'],
  ['https://oauth2.googleapis.com/token', 'oauth2.googleapis.com', '/token'],
])('of %s is without ids', (url, host, template) => {
  expect(routeOf(url)).toEqual({ host, port: undefined, template })
})

it('has nothing of ids, addresses and names, wherever they are in a path', () => {
  const id = fc.oneof(
    fc.uuid(),
    fc.stringMatching(/^[\w-]{19,44}$/),
    fc.stringMatching(/^\d{5,30}$/),
    fc.emailAddress().map((address) => encodeURIComponent(address)),
    fc.stringMatching(/^[A-Z]{2,5}-\d{1,6}$/),
    fc.string({ minLength: 1 }).map((text) => encodeURIComponent(`${text.toWellFormed()} é`)),
  )
  fc.assert(
    fc.property(id, (part) => {
      expect(routeOf(`https://a.example/v1/things/${part}/more`).template).toBe('/v1/things/{id}/more')
    }),
  )
})

it('is bounded for a long path, and for what is no address', () => {
  expect(routeOf(`https://a.example:8443${'/a'.repeat(100)}`)).toEqual({ host: 'a.example', port: 8443, template: '/a'.repeat(8) })
  expect(routeOf('none')).toEqual({ host: 'unknown', port: undefined, template: '/' })
})

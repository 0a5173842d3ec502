import { expect, test } from 'vitest'
import { columnsOf, type Destination, destinationOf } from '../../src/outbox/outbox-store.ts'

const origin = 'https://vendor.example/v1'

test.each<readonly [text: string, destination: Destination]>([
  ['hash', { origin, keyHash: 'hash' }],
  ['hash owner default', { origin, keyHash: 'hash', account: { owner: 'owner', profile: 'default' } }],
  ['hash owner at work', { origin, keyHash: 'hash', account: { owner: 'owner', profile: 'at work' } }],
])('%j in the column key_hash stands for one destination', (text, destination) => {
  expect(columnsOf(destination)).toEqual({ origin, keyHash: text })
  expect(destinationOf({ origin, key_hash: text })).toEqual(destination)
})

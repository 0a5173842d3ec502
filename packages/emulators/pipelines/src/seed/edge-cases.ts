import type { PipelinesSeed, SeedCall } from './schema.ts'

const userId = 'edge-1'
const timestamp = '2026-01-31T09:30:00Z'

/** Calls that are dropped, count once, do more than they seem to, or are hard to show. */
const calls: SeedCall[] = [
  { type: 'identify', at: 9, userId, traits: { email: 'edge@lodestar.example', name: 'Ann "Edge" O’Case <b>' } },
  { type: 'identify', at: 8.9, anonymousId: 'nobody-yet', traits: { plan: 'free' } },
  { type: 'identify', at: 8.8, userId: 12345, traits: { email: null } },
  { type: 'identify', at: 8.7, traits: { email: 7 } },
  { type: 'track', at: 8, userId, event: 'Order Placed', messageId: 'edge-order', timestamp, properties: { total: 12.5 } },
  { type: 'track', at: 7.9, userId, event: 'Order Placed', messageId: 'edge-order', timestamp, properties: { total: 12.5 } },
  { type: 'track', at: 7.8, userId, event: 'Order Placed', messageId: 'edge-order', properties: { total: 99 } },
  { type: 'track', at: 7, userId, event: '' },
  { type: 'track', at: 6.9, event: 'Nobody Did This' },
  {
    type: 'track',
    at: 6.8,
    userId,
    event: 'Ünï¢ödé 🚀\u202Egnp.exe',
    properties: { 'key with spaces': 1, constructor: 'x', nested: { deep: [[[]]] } },
  },
  { type: 'track', at: 6.7, userId, event: 'Too Large', properties: { text: 'x'.repeat(33_000) } },
  { type: 'track', at: 6.6, userId, event: 'Odd Time', timestamp: 'yesterday' },
  { type: 'track', at: 6.5, userId, event: 'User Deleted' },
  { type: 'track', at: 6.4, userId: 'edge-2', event: 'Device Created or Updated' },
  { type: 'track', at: 6.3, groupId: 'team-7', event: 'Group Only', properties: {} },
  { type: 'page', at: 6, userId, name: '', properties: { url: 'https://lodestar.example/?q=<script>alert(1)</script>', title: 7 } },
  { type: 'screen', at: 5.9, anonymousId: 'ANON', name: 'A'.repeat(300) },
  { type: 'group', at: 5.8, userId, groupId: 'team-7', traits: { objectTypeId: 1, name: 'Seven' } },
  { type: 'group', at: 5.7, userId },
  { type: 'alias', at: 5.6, userId, previousId: 'nobody-yet' },
  { type: 'alias', at: 5.5, userId, previousId: userId },
  { type: 'track', at: 5, userId, event: 'Wrong Context', context: { ip: 1, device: { type: 'fridge' } } },
  { type: 'track', at: 4.9, userId, event: 'Read-only Field', receivedAt: '2020-01-01T00:00:00Z' },
]

export const edgeCases: PipelinesSeed = { calls }

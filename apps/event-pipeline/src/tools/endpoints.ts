import { sentence } from '@mcp-toolkits/core/errors'
import { endpointTool } from './endpoint.ts'

export const identifyPersonAndAssignTraits = endpointTool({
  name: 'IdentifyPersonAndAssignTraits',
  title: 'Identify a person and assign traits',
  purpose:
    'Identify a user: create or update a person (customer, contact) and set or change traits (profile attributes or properties), such as email or plan. Other traits stay the same.',
  instead: sentence`For what they did, use ${{ tool: 'EventPipelineApi.TrackUserEvent' }}.`,
  body: 'Body: userId, traits.',
  call: 'identify',
  effect: 'update',
  example: { userId: 'u-1', traits: { email: 'ada@example.com', plan: 'team' } },
})

export const trackUserEvent = endpointTool({
  name: 'TrackUserEvent',
  title: 'Track an event',
  purpose:
    'Track an event: record or log what a user or customer did (signed up, bought, clicked), with properties. Some names have effects: "User Deleted" deletes the person.',
  instead: sentence`For several, use ${{ tool: 'EventPipelineApi.SendBatchRequests' }}.`,
  body: 'Body: userId or anonymousId, event, properties.',
  call: 'track',
  effect: 'create',
  destructive: true,
  example: { userId: 'u-1', event: 'Order Completed', properties: { total: 49 } },
})

export const sendPageViewEvent = endpointTool({
  name: 'SendPageViewEvent',
  title: 'Send a page view',
  purpose: 'Send a page view event: record, track or log that a user or visitor viewed (visited) a web page.',
  instead: sentence`In an app, use ${{ tool: 'EventPipelineApi.SendScreenViewEvent' }}.`,
  body: 'Body: userId or anonymousId, name, properties (url, title).',
  call: 'page',
  effect: 'create',
  example: { userId: 'u-1', name: 'Pricing', properties: { url: 'https://example.com/pricing' } },
})

export const sendScreenViewEvent = endpointTool({
  name: 'SendScreenViewEvent',
  title: 'Send a screen view',
  purpose: 'Send a screen view event: record or log which screen of a mobile app a user opened.',
  instead: sentence`On the web, use ${{ tool: 'EventPipelineApi.SendPageViewEvent' }}.`,
  body: 'Body: userId or anonymousId, name, properties.',
  call: 'screen',
  effect: 'create',
  example: { userId: 'u-1', name: 'Settings' },
})

export const addToGroup = endpointTool({
  name: 'AddToGroup',
  title: 'Add a person to a group',
  purpose: 'Add a user to a group: put, assign or link a person to a company, account or organization, and set traits of the group.',
  instead: sentence`For the person's traits, use ${{ tool: 'EventPipelineApi.IdentifyPersonAndAssignTraits' }}.`,
  body: 'Body: groupId, userId or anonymousId, traits.',
  call: 'group',
  effect: 'update',
  example: { groupId: 'g-1', userId: 'u-1', traits: { name: 'Acme' } },
})

export const aliasUserIdentity = endpointTool({
  name: 'AliasUserIdentity',
  title: 'Merge two identities',
  purpose:
    'Merge two profiles of one person (alias a user): link an anonymous visitor to a known user, or combine duplicate identities. Cannot be undone.',
  instead: sentence`For traits alone, use ${{ tool: 'EventPipelineApi.IdentifyPersonAndAssignTraits' }}.`,
  body: 'Body: previousId (merged away), userId (kept).',
  call: 'alias',
  effect: 'create',
  destructive: true,
  example: { previousId: 'visitor-1', userId: 'u-1' },
})

export const sendBatchRequests = endpointTool({
  name: 'SendBatchRequests',
  title: 'Send a batch',
  purpose:
    'Send a batch: many events, users or calls at once in one request, for bulk upload, import or backfill. Without strict mode, invalid items are dropped and the rest is sent.',
  instead: sentence`For one event, use ${{ tool: 'EventPipelineApi.TrackUserEvent' }}.`,
  body: 'Body: {"batch": [{"type": "track", …}, …]}; types: identify, track, page, screen, group, alias.',
  call: 'batch',
  effect: 'create',
  destructive: true,
  example: { batch: [{ type: 'track', userId: 'u-1', event: 'Signed Up' }] },
})

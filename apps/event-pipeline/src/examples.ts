import type { JsonObject } from '@mcp-toolkits/core/base'

const body = (request: JsonObject) => ({ mode: 'execute', request_body: JSON.stringify(request) })

/** A call of each tool that sends something: `mode` alone would only return a schema. */
export const examples: Readonly<Record<string, JsonObject>> = {
  IdentifyPersonAndAssignTraits: body({ userId: 'u-1', traits: { email: 'ada@example.com', plan: 'team' } }),
  TrackUserEvent: body({ userId: 'u-1', event: 'Order Completed', properties: { total: 49 } }),
  SendPageViewEvent: body({ userId: 'u-1', name: 'Pricing', properties: { url: 'https://example.com/pricing' } }),
  SendScreenViewEvent: body({ userId: 'u-1', name: 'Settings' }),
  AddToGroup: body({ groupId: 'g-1', userId: 'u-1', traits: { name: 'Acme' } }),
  AliasUserIdentity: body({ previousId: 'visitor-1', userId: 'u-1' }),
  SendBatchRequests: body({ batch: [{ type: 'track', userId: 'u-1', event: 'Signed Up' }] }),
}

import { assumedOn, type Rules } from '@mcp-toolkits/emulator'

/** The day the assumptions were made. */
const assumed = assumedOn('sample-day')

/** To do: what the vendor's pages say instead, with `documented`. Each rule needs a test that covers it. */
export const sampleServerRules = {
  'account/key-required': assumed.refusal('A request without a valid key gets a 401 response.', 'as HTTP specifies'),
  'items/create': assumed.result('POST /v1/items creates an item, and returns its id with status 201.', 'many APIs have such a route'),
  'items/name-required': assumed.refusal('An item without a name gets a 400 response.', 'an empty item is of no use'),
  'items/get': assumed.result('GET /v1/items/{id} returns the item, or a 404 response.', 'many APIs have such a route'),
} satisfies Rules

/** The seven operations of the Pipelines API; each is also the path it is posted to. https://docs.customer.io/api/cdp/ */
export const callNames = ['identify', 'track', 'page', 'screen', 'group', 'alias', 'batch'] as const
export type CallName = (typeof callNames)[number]

/** The operations that may stand in a batch. */
export type ItemType = Exclude<CallName, 'batch'>
export const itemTypes: readonly ItemType[] = ['identify', 'track', 'page', 'screen', 'group', 'alias']

/** A JSON object as it came. */
export type JsonObject = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

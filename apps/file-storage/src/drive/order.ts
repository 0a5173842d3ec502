/** What Drive sorts by. https://developers.google.com/workspace/drive/api/reference/rest/v3/files/list */
const keys = [
  ...['createdTime', 'folder', 'modifiedByMeTime', 'modifiedTime', 'name', 'name_natural', 'quotaBytesUsed', 'recency'],
  ...['sharedWithMeTime', 'starred', 'viewedByMeTime'],
]

/** Every order: each key upwards and downwards. */
export const orders: readonly string[] = keys.flatMap((key) => [key, `${key} desc`])

export const lastChangedFirst = 'modifiedTime desc'

export function isOrder(text: string): boolean {
  return orders.includes(text)
}

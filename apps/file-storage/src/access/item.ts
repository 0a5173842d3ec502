import type { DriveItem } from '../drive/items.ts'
import { type ItemQuery, type LookupContext, rejectRoot, resolveItem } from '../resolve/resolve.ts'

/** An item, and the id of the item whose access applies: a shortcut has its target's access. */
export interface ItemOfAccess {
  readonly item: DriveItem
  readonly fileId: string
}

/**
 * The item whose access will change; looked up first, because an id may belong to a drive or a shortcut. `action` is a participle.
 */
export async function itemOfAccess(query: ItemQuery, context: LookupContext, action: string): Promise<ItemOfAccess> {
  const target = await resolveItem(query, context)
  rejectRoot(target, action)
  if (!target.item) throw new TypeError('Anything but a root is an item.')
  return { item: target.item, fileId: target.item.shortcutDetails?.targetId ?? target.item.id }
}

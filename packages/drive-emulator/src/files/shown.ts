import { fileForm } from '../forms.ts'
import type { Item } from '../items.ts'
import { parseMask, type Mask } from '../masks.ts'
import type { Session } from '../session.ts'
import { fileResource, usualFields } from './resource.ts'

/** What the caller wants to know of an item. */
export function fileMask({ params }: Session): Mask {
  const fields = params.text('fields')
  return fields === undefined ? usualFields : parseMask(fields, fileForm)
}

/** An item as the caller wants it. */
export const shownFile = (session: Session, item: Item): unknown => fileResource(item, fileMask(session), session)

import * as z from 'zod'
import { looseCount, looseFlag, looseList, looseObject, looseText, text } from './tolerant-fields.ts'

/** Google's own kinds of item; everything else is a file with bytes. https://developers.google.com/workspace/drive/api/guides/mime-types */
const googleTypes = {
  folder: 'application/vnd.google-apps.folder',
  shortcut: 'application/vnd.google-apps.shortcut',
  document: 'application/vnd.google-apps.document',
  spreadsheet: 'application/vnd.google-apps.spreadsheet',
  slides: 'application/vnd.google-apps.presentation',
  drawing: 'application/vnd.google-apps.drawing',
  form: 'application/vnd.google-apps.form',
  script: 'application/vnd.google-apps.script',
  sites: 'application/vnd.google-apps.site',
} as const

export type ItemKind = keyof typeof googleTypes | 'file'

export const folderType = googleTypes.folder

const kinds: ReadonlyMap<string, ItemKind> = new Map(
  Object.keys(googleTypes)
    .filter((kind): kind is keyof typeof googleTypes => kind in googleTypes)
    .map((kind) => [googleTypes[kind], kind]),
)

/** An item's kind, in one word. */
export function kindOf(mimeType: string): ItemKind {
  return kinds.get(mimeType) ?? 'file'
}

/** True for Google's own types: such an item has no bytes, and cannot be uploaded. */
export function isGoogleType(mimeType: string): boolean {
  return mimeType.toLowerCase().startsWith('application/vnd.google-apps.')
}

/** The MIME type of one of Google's own kinds. */
export function googleTypeOf(kind: keyof typeof googleTypes): string {
  return googleTypes[kind]
}

/** An item as sent by Drive, with the requested fields. https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
export const DriveItem = z.object({
  id: text,
  name: text,
  mimeType: text,
  parents: looseList(text),
  driveId: looseText,
  ownedByMe: looseFlag,
  trashed: looseFlag,
  /** True for an item that was itself trashed; everything in a trashed folder counts as trashed. */
  explicitlyTrashed: looseFlag,
  /** Bytes, in decimal digits; meaningless for Google's own kinds. */
  size: looseCount,
  md5Checksum: looseText,
  /** The current revision. */
  headRevisionId: looseText,
  createdTime: looseText,
  modifiedTime: looseText,
  modifiedByMeTime: looseText,
  viewedByMeTime: looseText,
  sharedWithMeTime: looseText,
  quotaBytesUsed: looseCount,
  starred: looseFlag,
  /** Increases with every change, even one that leaves `modifiedTime` unchanged. */
  version: looseText,
  webViewLink: looseText,
  owners: looseList(z.object({ displayName: looseText, emailAddress: looseText })).optional(),
  resourceKey: looseText,
  shortcutDetails: looseObject({ targetId: text, targetMimeType: looseText, targetResourceKey: looseText }),
})
export type DriveItem = z.output<typeof DriveItem>

/** A file's size in bytes, as counted by Drive. */
export function byteSize({ size }: Pick<DriveItem, 'size'>): number {
  return Number(size ?? 0)
}

/** Fields for recognizing, locating and showing an item. */
export const itemFields =
  'id,name,mimeType,parents,driveId,trashed,size,md5Checksum,headRevisionId,modifiedTime,version,webViewLink,resourceKey,shortcutDetails(targetId,targetMimeType,targetResourceKey)'

/** An item, as returned by tools. */
export const Item = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string().describe('"folder", "file", "shortcut", or a Google document: "document", "spreadsheet", "slides" …'),
  mime_type: z.string(),
  size: z.int().optional().describe('Bytes.'),
  created_at: z.string().optional(),
  modified_at: z.string().optional(),
  owner: z.string().optional().describe('Email address.'),
  parent_id: z.string().optional().describe('Absent if the folder is not visible.'),
  shared_drive_id: z.string().optional(),
  url: z.string().optional().describe('Opens it in a browser.'),
  target_id: z.string().optional().describe('What a shortcut points at.'),
})
export type Item = z.output<typeof Item>

/** Converts an item from Drive for a result. */
export function toItem(item: DriveItem): Item {
  const [parent] = item.parents
  const kind = kindOf(item.mimeType)
  const owner = item.owners?.[0]?.emailAddress
  return {
    id: item.id,
    name: item.name,
    kind,
    mime_type: item.mimeType,
    ...(kind === 'file' && item.size !== undefined && { size: Number(item.size) }),
    ...(item.createdTime !== undefined && { created_at: toSeconds(item.createdTime) }),
    ...(item.modifiedTime !== undefined && { modified_at: toSeconds(item.modifiedTime) }),
    ...(owner !== undefined && { owner }),
    ...(parent !== undefined && { parent_id: parent }),
    ...(item.driveId !== undefined && { shared_drive_id: item.driveId }),
    ...(item.webViewLink !== undefined && { url: item.webViewLink }),
    ...(item.shortcutDetails && { target_id: item.shortcutDetails.targetId }),
  }
}

/** `2026-11-20T09:12:33.123Z` without the fraction. */
function toSeconds(time: string): string {
  return time.replace(/\.\d+(?=Z$)/, '')
}

/** Sentence on what a person can do with an item that has no bytes. */
export const openInBrowser = ({ webViewLink }: Pick<DriveItem, 'webViewLink'>) =>
  webViewLink === undefined ? 'A person can open it in a browser.' : `A person can open it at ${webViewLink}.`

/** An item in a list. Drive has no paths, and names may repeat, so the id identifies it. */
export const FileRow = Item.pick({ id: true, name: true, size: true, modified_at: true, target_id: true })
  .extend({
    name: Item.shape.name.describe(
      'Comes with path, in the form that tools accept: from the root, or after the name of a shared drive. "Shared with me/…" is in no visible folder.',
    ),
    type: z.string().describe('"folder", "shortcut", a Google document ("document", "spreadsheet" …), or a MIME type.'),
    created_at: Item.shape.created_at.describe('Given, along with owner, only if several items share the name.'),
    owner: Item.shape.owner,
    parent_id: Item.shape.parent_id.describe('The folder. In a longer list, given only if several items share the name.'),
    shared_drive_id: Item.shape.shared_drive_id,
    // The path is not declared, because every declared field lengthens the list of tools, which each client reads at startup.
  })
  .loose()
export type FileRow = z.output<typeof FileRow>

/** Maximum length of a list in which every item comes with its folder. */
const maxPlaced = 10

/** Converts items for a list; in a long list, only items whose names are not unique get more details. `paths` are keyed by id. */
export function toRows(items: readonly DriveItem[], paths: ReadonlyMap<string, string>): FileRow[] {
  const counts = new Map<string, number>()
  for (const { name } of items) counts.set(name, (counts.get(name) ?? 0) + 1)
  return items.map((item) => {
    const { id, name, kind, mime_type: mimeType, size, modified_at: modified, target_id: target, ...rest } = toItem(item)
    const { created_at: created, owner, parent_id: parent, shared_drive_id: sharedDrive } = rest
    const isAmbiguous = (counts.get(name) ?? 0) > 1
    const isPlaced = isAmbiguous || items.length <= maxPlaced
    const path = paths.get(id)
    return {
      id,
      name,
      ...(path !== undefined && { path }),
      type: kind === 'file' ? mimeType : kind,
      ...(size !== undefined && { size }),
      ...(modified !== undefined && { modified_at: modified }),
      ...(target !== undefined && { target_id: target }),
      ...(sharedDrive !== undefined && isPlaced && { shared_drive_id: sharedDrive }),
      ...(isAmbiguous && { ...(created !== undefined && { created_at: created }), ...(owner !== undefined && { owner }) }),
      ...(isPlaced && parent !== undefined && { parent_id: parent }),
    }
  })
}

/** The folder that an item stands for: a folder itself, or the target of a shortcut to a folder; undefined for any other item. */
export function targetFolderId({
  id,
  mimeType,
  shortcutDetails,
}: Pick<DriveItem, 'id' | 'mimeType' | 'shortcutDetails'>): string | undefined {
  if (mimeType === folderType) return id
  return shortcutDetails?.targetMimeType === folderType ? shortcutDetails.targetId : undefined
}

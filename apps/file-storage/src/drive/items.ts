import * as z from 'zod'

/** Google's own kinds of items; everything else is a file with bytes. https://developers.google.com/workspace/drive/api/guides/mime-types */
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

/** What an item is, as one word. */
export function kindOf(mimeType: string): ItemKind {
  return kinds.get(mimeType) ?? 'file'
}

/** Whether a type is Google's own: such an item has no bytes, and none can be uploaded as one. */
export function isGoogleType(mimeType: string): boolean {
  return mimeType.toLowerCase().startsWith('application/vnd.google-apps.')
}

/** The MIME type of one of Google's own kinds. */
export function googleTypeOf(kind: keyof typeof googleTypes): string {
  return googleTypes[kind]
}

/** An item as Drive sends it, with the fields that were requested. https://developers.google.com/workspace/drive/api/reference/rest/v3/files */
export const DriveItem = z.object({
  id: z.string(),
  name: z.string(),
  mimeType: z.string(),
  parents: z.array(z.string()).default([]),
  driveId: z.string().optional(),
  trashed: z.boolean().optional(),
  /** Bytes, in decimal digits; meaningless for Google's own kinds. */
  size: z.string().optional(),
  md5Checksum: z.string().optional(),
  createdTime: z.string().optional(),
  modifiedTime: z.string().optional(),
  /** Grows with every change, also with those that do not change `modifiedTime`. */
  version: z.string().optional(),
  webViewLink: z.string().optional(),
  owners: z.array(z.object({ displayName: z.string().optional(), emailAddress: z.string().optional() })).optional(),
  resourceKey: z.string().optional(),
  shortcutDetails: z
    .object({ targetId: z.string(), targetMimeType: z.string().optional(), targetResourceKey: z.string().optional() })
    .optional(),
})
export type DriveItem = z.output<typeof DriveItem>

/** Bytes of a file as Drive counts them. */
export function byteSize({ size }: Pick<DriveItem, 'size'>): number {
  return Number(size ?? 0)
}

/** Fields by which an item is recognised, located and shown. */
export const itemFields =
  'id,name,mimeType,parents,driveId,trashed,size,md5Checksum,modifiedTime,version,webViewLink,resourceKey,shortcutDetails(targetId,targetMimeType,targetResourceKey)'

/** An item as tools return it. */
export const Item = z.object({
  id: z.string(),
  name: z.string(),
  kind: z.string().describe('"folder", "file", "shortcut", or what Google document it is: "document", "spreadsheet", "slides" and so on.'),
  mime_type: z.string(),
  size: z.int().optional().describe('Bytes.'),
  created_at: z.string().optional(),
  modified_at: z.string().optional(),
  owner: z.string().optional().describe('E-mail address.'),
  parent_id: z.string().optional().describe('Absent where the folder that it lies in is not visible.'),
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
    ...(item.createdTime !== undefined && { created_at: item.createdTime }),
    ...(item.modifiedTime !== undefined && { modified_at: item.modifiedTime }),
    ...(owner !== undefined && { owner }),
    ...(parent !== undefined && { parent_id: parent }),
    ...(item.driveId !== undefined && { shared_drive_id: item.driveId }),
    ...(item.webViewLink !== undefined && { url: item.webViewLink }),
    ...(item.shortcutDetails && { target_id: item.shortcutDetails.targetId }),
  }
}

/** The folder that an item stands for: itself, or the target of a shortcut to one; undefined for anything else. */
export function targetFolderId({
  id,
  mimeType,
  shortcutDetails,
}: Pick<DriveItem, 'id' | 'mimeType' | 'shortcutDetails'>): string | undefined {
  if (mimeType === folderType) return id
  return shortcutDetails?.targetMimeType === folderType ? shortcutDetails.targetId : undefined
}

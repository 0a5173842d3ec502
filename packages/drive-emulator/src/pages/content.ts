import type { WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import type { ContentStore } from '../files/content.ts'
import { isNative, type Item, itemById } from '../items.ts'
import type { DriveStore } from '../viewers.ts'

/** The pictures that browsers show and that hold no scripts: not SVG. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']
const maxPictureBytes = 20_000_000

/** Whether a page shows the file as a picture. */
export const isPicture = ({ mimeType, content, size }: Item): boolean =>
  content !== null && pictureTypes.includes(mimeType) && (size ?? 0) <= maxPictureBytes

/** The address of the bytes of a file. */
export const contentPath = ({ id }: Pick<Item, 'id'>): string => `/workspace/content/${encodeURIComponent(id)}`

/** Whatever it is taken for, it gets an origin that shares nothing with these pages, and runs nothing. */
const policy = "default-src 'none'; sandbox; frame-ancestors 'none'"

/** Where Google has the address of the bytes. */
export const downloadPage: WorkspacePage = {
  path: '/uc',
  show: ({ query }) => new Response(null, { status: 302, headers: { location: contentPath({ id: query('id') ?? '' }) } }),
}

/** The bytes of a file: a picture to be shown, and anything else to be saved. */
export const contentPage = (store: DriveStore, contents: ContentStore): WorkspacePage => ({
  path: '/content/:id',
  show({ part }) {
    const item = itemById(store, part('id'))
    if (item?.content == null || isNative(item)) return undefined
    const asPicture = isPicture(item)
    const headers = {
      'content-type': asPicture ? item.mimeType : 'application/octet-stream',
      'content-length': String(item.size ?? 0),
      'content-disposition': asPicture ? 'inline' : `attachment; filename*=UTF-8''${encodeFileName(item.name)}`,
      'content-security-policy': policy,
    }
    return new Response(contents.read(item.content, { start: 0, end: (item.size ?? 0) - 1 }), { headers })
  },
})

/** A name for a header: https://www.rfc-editor.org/rfc/rfc8187 */
const encodeFileName = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

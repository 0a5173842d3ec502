import path from 'node:path'
import { SeedError, type SeedPath } from '@mcp-toolkits/emulator'
import { folderType } from '../items.ts'
import type { ItemSeed } from './builder.ts'
import { toKey } from './contents.ts'
import type { SeedItem } from './schema.ts'

const shortTypes: Readonly<Record<string, string>> = {
  folder: folderType,
  document: 'application/vnd.google-apps.document',
  spreadsheet: 'application/vnd.google-apps.spreadsheet',
  presentation: 'application/vnd.google-apps.presentation',
}

const typesByEnding: Readonly<Record<string, string>> = {
  '.md': 'text/markdown',
  '.csv': 'text/csv',
  '.html': 'text/html',
  '.json': 'application/json',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.gif': 'image/gif',
  '.jpg': 'image/jpeg',
  '.mp4': 'video/mp4',
  '.zip': 'application/zip',
}

/** The MIME type of an item that is no shortcut. */
export function typeOf({ name, type, items, pdf, picture, base64 }: SeedItem): string {
  if (items !== undefined) return folderType
  if (type !== undefined) return shortTypes[type] ?? type
  if (pdf !== undefined) return 'application/pdf'
  if (picture !== undefined) return 'image/png'
  return typesByEnding[path.extname(name).toLowerCase()] ?? (base64 === undefined ? 'text/plain' : 'application/octet-stream')
}

const contentFields = ['text', 'base64', 'pdf', 'picture', 'bytes', 'items', 'shortcutTo'] as const

/** The content of an item, as the builder takes it. Throws `SeedError` for an item that has two. */
export function contentOf(
  item: SeedItem,
  { path: at, text: render }: { readonly path: SeedPath; readonly text: (text: string) => string },
): Pick<ItemSeed, 'text' | 'content'> {
  const [first, second] = contentFields.filter((field) => item[field] !== undefined)
  if (first !== undefined && second !== undefined)
    throw new SeedError([...at, second], `an item has one content, and this one has ${first} already.`)
  const { name, text, base64, pdf, picture, bytes } = item
  if (bytes !== undefined) return { content: `sized-${bytes}-${toKey(name)}` }
  if (pdf !== undefined) return { text: render(pdf), content: `page-${toKey(render(pdf))}` }
  if (picture !== undefined) return { content: `map-${toKey(picture)}` }
  if (base64 !== undefined) return { content: `text-${Buffer.from(base64, 'base64').toString('base64url')}` }
  return text === undefined ? {} : { text: render(text) }
}

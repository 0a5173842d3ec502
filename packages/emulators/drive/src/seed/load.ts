import path from 'node:path'
import { createSeedNames, SeedError, type SeedNames, type SeedPath, seedText, type SeedTime, seedTime } from '@mcp-toolkits/emulator'
import type { Store } from '@mcp-toolkits/sqlite'
import { driveIdFor, permissionIdFor } from '../store/ids.ts'
import { folderType } from '../store/items.ts'
import { firstViewer, insertPerson, robin } from '../people/people.ts'
import type { Role } from '../sharing/grants.ts'
import { createSeedBuilder, itemIdOf, type ItemSeed, type SeedBuilder, seedDrive } from './builder.ts'
import { toKey } from '../content/generated.ts'
import { seedAccount } from './account.ts'
import type { DriveSeedData, SeedGrant, SeedItem } from './schema.ts'

interface Loader extends SeedBuilder {
  readonly now: number
  /** The ids of people and groups by address. */
  readonly addresses: SeedNames
  /** The ids of items by path. */
  readonly paths: SeedNames
  /** Shortcuts wait until their targets exist. */
  readonly shortcuts: (() => void)[]
}

interface Place {
  /** Id of the folder; null for items shared by others. */
  readonly parent: string | null
  /** The folder's path, as written in shortcuts. */
  readonly folder: string
  /** The owner's address; the account's own by default. */
  readonly owner?: string
}

/** Seeds a new drive. Ids depend only on names, times on `now`. Throws `SeedError` with the path of a part that cannot be loaded. */
export function loadSeed(database: Store, seed: DriveSeedData, now: number): void {
  const store = seedAccount(database, now)
  const addresses = createSeedNames('person or group')
  addresses.add(robin.email, firstViewer.id, [])
  const groups = new Set((seed.groups ?? []).map(({ email }) => email))
  for (const [index, { name, email, aliases = [] }] of (seed.people ?? []).entries()) {
    addresses.add(email, permissionIdFor(email), ['people', index, 'email'])
    insertPerson(store, { name, email, aliases })
  }
  for (const [index, { name, email }] of (seed.groups ?? []).entries()) {
    addresses.add(email, permissionIdFor(email), ['groups', index, 'email'])
    insertPerson(store, { name, email, kind: 'group' })
  }
  const builder = createSeedBuilder(database, now, (address) => groups.has(address))
  const loader: Loader = { ...builder, now, addresses, paths: createSeedNames('item'), shortcuts: [] }
  loadItems(loader, seed.myDrive, { place: { parent: firstViewer.rootId, folder: 'My Drive' }, path: ['myDrive'] })
  loadDrives(loader, seed)
  loadShared(loader, seed)
  for (const addShortcut of loader.shortcuts) addShortcut()
}

function loadDrives(loader: Loader, { sharedDrives = [] }: DriveSeedData): void {
  for (const [index, { name, members, createdAt, items }] of sharedDrives.entries()) {
    const path = ['sharedDrives', index]
    const grants = grantsOf(loader, members, [...path, 'members'])
    const createdTime = createdAt === undefined ? {} : { createdTime: seedTime(createdAt, loader.now, [...path, 'createdAt']) }
    loader.paths.add(`Shared drives/${name}`, driveIdFor(`drive ${name}`), [...path, 'name'])
    const parent = seedDrive(loader, { name, members: grants, ...createdTime })
    loadItems(loader, items, { place: { parent, folder: `Shared drives/${name}` }, path: [...path, 'items'] })
  }
}

function loadShared(loader: Loader, { sharedWithMe = [] }: DriveSeedData): void {
  for (const [index, { owner, role, ...item }] of sharedWithMe.entries()) {
    const path = ['sharedWithMe', index]
    loader.addresses.get(owner, [...path, 'owner'])
    const sharedWith = [...(item.sharedWith ?? []), ...(role === undefined ? [] : [{ with: robin.email, role }])]
    loadItem(loader, { ...item, sharedWith }, { place: { parent: null, folder: 'Shared with me', owner }, path })
  }
}

function loadItems(loader: Loader, items: readonly SeedItem[] | undefined, { place, path }: { place: Place; path: SeedPath }): void {
  for (const [index, item] of (items ?? []).entries()) loadItem(loader, item, { place, path: [...path, index] })
}

function loadItem(loader: Loader, item: SeedItem, { place, path }: { place: Place; path: SeedPath }): void {
  const { name, shortcutTo, items, key = name } = item
  const where = `${place.folder}/${spelled(name)}`
  const seed = itemSeed(loader, item, { place, path })
  loader.paths.add(`${place.folder}/${spelled(key)}`, itemIdOf(place.parent, key), [...path, 'name'])
  if (shortcutTo !== undefined) {
    loader.shortcuts.push(() => {
      loader.addItem({ ...seed, target: loader.paths.get(shortcutTo, [...path, 'shortcutTo']) })
    })
    return
  }
  const id = loader.addItem(seed)
  const { owner } = place
  loadItems(loader, items, { place: { parent: id, folder: where, ...(owner !== undefined && { owner }) }, path: [...path, 'items'] })
}

/** A name as part of a path. */
const spelled = (name: string) => name.replaceAll('/', String.raw`\/`)

/** An item in the builder's form. */
function itemSeed(loader: Loader, item: SeedItem, { place, path }: { place: Place; path: SeedPath }): ItemSeed {
  const { name, key, starred, trashed, abusive, resourceKey, modifiedBy, description, shortcutTo, sharedWith } = item
  const time = (value: SeedTime | undefined, field: string) =>
    value === undefined ? undefined : seedTime(value, loader.now, [...path, field])
  const type = shortcutTo === undefined ? typeOf(item) : undefined
  if (type === folderType && item.text !== undefined) throw new SeedError([...path, 'text'], 'a folder cannot have text.')
  const [createdTime, modifiedTime] = [time(item.createdAt ?? 30, 'createdAt'), time(item.modifiedAt, 'modifiedAt')]
  return {
    name,
    parent: place.parent,
    grants: grantsOf(loader, sharedWith, [...path, 'sharedWith']),
    ...(key !== undefined && { key }),
    ...(place.owner !== undefined && { owner: place.owner }),
    ...(type !== undefined && { type }),
    ...contentOf(item, { path, text: (text) => seedText(text, loader.now) }),
    ...(starred !== undefined && { starred }),
    ...(trashed !== undefined && { trashed }),
    ...(abusive !== undefined && { abusive }),
    ...(resourceKey !== undefined && { resourceKey }),
    ...(description !== undefined && { description }),
    ...(createdTime !== undefined && { createdTime }),
    ...(modifiedTime !== undefined && { modifiedTime }),
    ...(modifiedBy !== undefined && { modifiedBy: loader.addresses.get(modifiedBy, [...path, 'modifiedBy']) }),
  }
}

function grantsOf({ addresses }: Loader, grants: readonly SeedGrant[] = [], path: SeedPath): (readonly [address: string, role: Role])[] {
  return grants.map(({ with: address, role }, index) => {
    if (address !== 'domain' && address !== 'anyone') addresses.get(address, [...path, index, 'with'])
    return [address, role] as const
  })
}

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

/** The MIME type of an item that is not a shortcut. */
export function typeOf({ name, type, items, pdf, picture, base64 }: SeedItem): string {
  if (items !== undefined) return folderType
  if (type !== undefined) return shortTypes[type] ?? type
  if (pdf !== undefined) return 'application/pdf'
  if (picture !== undefined) return 'image/png'
  return typesByEnding[path.extname(name).toLowerCase()] ?? (base64 === undefined ? 'text/plain' : 'application/octet-stream')
}

const contentFields = ['text', 'base64', 'pdf', 'picture', 'bytes', 'items', 'shortcutTo'] as const

/** An item's content in the builder's form. Throws `SeedError` for an item with two contents. */
export function contentOf(
  item: SeedItem,
  { path: at, text: render }: { readonly path: SeedPath; readonly text: (text: string) => string },
): Pick<ItemSeed, 'text' | 'content'> {
  const [first, second] = contentFields.filter((field) => item[field] !== undefined)
  if (first !== undefined && second !== undefined)
    throw new SeedError([...at, second], `an item can have only one kind of content, and this one already has ${first}.`)
  const { name, text, base64, pdf, picture, bytes } = item
  if (bytes !== undefined) return { content: `sized-${bytes}-${toKey(name)}` }
  if (pdf !== undefined) return { text: render(pdf), content: `page-${toKey(render(pdf))}` }
  if (picture !== undefined) return { content: `map-${toKey(picture)}` }
  if (base64 !== undefined) return { content: `text-${Buffer.from(base64, 'base64').toString('base64url')}` }
  return text === undefined ? {} : { text: render(text) }
}

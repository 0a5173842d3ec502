import { ToolError } from '@mcp-toolkits/core/errors'
import { findPath, readingsOf } from '@mcp-toolkits/core/references'
import { drawPath, expectedItems, growTree, manualScope, seeded, type Tree } from '@mcp-toolkits/core/testing'
import { withAuthorization } from '@mcp-toolkits/core/upstream'
import { driveEmulator, type DriveEmulator, type DriveEmulatorOptions } from '@mcp-toolkits/drive-emulator'
import { isFull } from '@mcp-toolkits/testing'
import { expect, test } from 'vitest'
import { pathScopes } from '../src/drive/paths.ts'
import { driveClient } from '../src/drive/client.ts'
import { folderType } from './storage.ts'

const treeCount = isFull ? 12 : 1
const pathsPerTree = isFull ? 40 : 8

/** Puts a tree into a drive. Returns the tree's rows that the app can see, and their ids in the drive. */
function addTree(emulator: DriveEmulator, { rootId, rows }: Tree, isGranted: () => boolean) {
  const ids = new Map<string, string>()
  const seen = new Set<string>()
  for (const { id, name, parent, kind, trashed, target } of rows) {
    const [into, points] = [ids.get(parent), target === undefined ? undefined : ids.get(target)]
    // A shortcut never points to a drive's root or to a missing file.
    if (kind === 'shortcut' && points === undefined) continue
    const granted = isGranted()
    if (granted) seen.add(id)
    const item = {
      name,
      key: id,
      trashed,
      granted,
      ...(into !== undefined && { parent: into }),
      ...(points !== undefined && { target: points }),
    }
    ids.set(id, emulator.addItem(kind === 'folder' ? { ...item, type: folderType } : item))
  }
  return { ids, tree: { rootId, rows: rows.filter(({ id }) => seen.has(id)) } }
}

async function idsAt(path: Promise<{ item: { id: string } }>): Promise<string[]> {
  try {
    return [(await path).item.id]
  } catch (error) {
    if (!(error instanceof ToolError)) throw error
    return error.code === 'not_found' || error.code === 'ambiguous'
      ? (error.details.choices ?? []).flatMap(({ options }) => options.map(({ id }) => id))
      : [error.code]
  }
}

test.for([
  ['everything is seen', {}],
  ['pages are short', { quirks: { shortPages: true } }],
  ['alternatives of parents lose rows', { quirks: { dropsRowsOfParentQueries: true } }],
  ['the top may not be read', { scopes: ['drive.file'] }],
  ['one in five items was not granted', { scopes: ['drive.file'] }, 0.8],
] satisfies [string, DriveEmulatorOptions, number?][])('resolves paths like a walk by ids when %s', async ([, options, share = 1]) => {
  const mismatches: string[] = []
  for (let index = 0; index < treeCount; index += 1) {
    const seed = 20261121 + index
    const random = seeded(seed)
    const emulator = driveEmulator({ ...options, seed: 'empty', accessToken: 't' })
    const { ids, tree } = addTree(emulator, growTree(random, 20 + random.below(50)), () => share === 1 || random.chance(share))
    const drive = driveClient({ fetch: withAuthorization(emulator.fetch, 'http://localhost', () => 'Bearer t'), url: 'http://localhost' })
    const area = pathScopes(drive).inDrive(undefined, manualScope())
    for (let drawn = 0; drawn < pathsPerTree; drawn += 1) {
      const text = drawPath(random, tree)
      // If no item has exactly that path, the first reading of the path that leads to an item counts.
      const walked = [text, ...readingsOf(text)].map((reading) => [...expectedItems(reading, tree)])
      const expected = (walked.find(({ length }) => length > 0) ?? []).map((id) => ids.get(id)).sort()
      const found = (await idsAt(findPath({ text, parameter: 'path' }, area))).sort()
      if (JSON.stringify(found) !== JSON.stringify(expected))
        mismatches.push(`seed ${seed}, ${JSON.stringify(text)}: ${found.join()} instead of ${expected.join()}`)
    }
    await emulator.close()
  }
  expect(mismatches).toEqual([])
})

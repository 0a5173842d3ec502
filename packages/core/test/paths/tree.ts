import type { Random } from './random.ts'

/** An item as a drive stores it. */
export interface TreeItem {
  readonly id: string
  readonly name: string
  readonly parent: string
  readonly kind: 'folder' | 'file' | 'shortcut'
  readonly trashed: boolean
  /** Target of a shortcut. */
  readonly target?: string
}

export interface Tree {
  readonly rootId: string
  readonly rows: readonly TreeItem[]
}

const names = [
  ...[
    'a',
    'A',
    'b',
    'B',
    'Reports',
    'reports',
    'REPORTS',
    'Straße',
    'STRASSE',
    'x y',
    ' a',
    'a ',
    '.',
    '..',
    'My Drive',
    'naïve',
    'nai\u0308ve',
  ],
  ...[
    "it's",
    "' or name = '",
    'back\\slash',
    "\\'",
    '"quoted"',
    '😀',
    'a/b',
    'x/y',
    'b/a',
    '/a',
    'b/',
    '2026/11/21',
    'a/b/a/b',
    'a//b',
    'trash',
  ],
]

/** A tree of folders, files and shortcuts in which names repeat, differ only by case, contain slashes and quotes, or are in the trash. */
export function growTree(random: Random, size: number): Tree {
  const rootId = 'root-id'
  const folders = [rootId]
  const rows: TreeItem[] = []
  for (let index = 0; index < size; index += 1) {
    // Half of all items go to the deepest place of the tree, so that long paths occur.
    const parent = random.chance(0.5) ? (folders.at(-1 - random.below(Math.min(3, folders.length))) ?? rootId) : random.pick(folders)
    const twin = rows.length > 0 && random.chance(0.15) ? random.pick(rows) : undefined
    const kind = random.chance(0.5) ? 'folder' : random.chance(0.25) ? 'shortcut' : 'file'
    const row: TreeItem = {
      id: `id-${index}`,
      name: twin?.name ?? random.pick(names),
      parent: twin?.parent ?? parent,
      kind,
      trashed: random.chance(0.1),
      ...(kind === 'shortcut' && { target: random.chance(0.8) ? random.pick(folders) : 'id-of-a-file' }),
    }
    rows.push(row)
    // A folder in the trash gets no content, because its content would be in the trash too.
    if (kind === 'folder' && !row.trashed) folders.push(row.id)
  }
  return { rootId, rows }
}

/** A path to try: the way to some item, or a few names, often with a mistake in it. */
export function drawPath(random: Random, { rootId, rows }: Tree): string {
  const parts = random.chance(0.75)
    ? wayTo(random.pick(rows), rootId, rows)
    : Array.from({ length: 1 + random.below(5) }, () => random.pick(names))
  const bent = parts.flatMap((part) => {
    if (random.chance(0.03)) return []
    if (random.chance(0.04)) return [random.chance(0.5) ? part.toUpperCase() : part.toLowerCase()]
    return random.chance(0.03) ? [part, random.pick(names)] : [part]
  })
  const prefixed = random.chance(0.03) ? ['My Drive', ...bent] : bent
  const joined = prefixed.reduce((path, part) => (path === '' ? part : `${path}${random.chance(0.03) ? '//' : '/'}${part}`), '')
  const path = `${random.chance(0.05) ? '/' : ''}${joined}${random.chance(0.05) ? '/' : ''}`
  return /[^/]/.test(path) ? path : 'a'
}

/** The names on the way to a row, sometimes through a shortcut instead of the folder. */
function wayTo(row: TreeItem, rootId: string, rows: readonly TreeItem[]): string[] {
  const way = [row.name]
  let parent = row.parent
  for (let steps = 0; parent !== rootId && steps < 20; steps += 1) {
    const shortcut = rows.find(({ target, id }) => target === parent && Number(id.slice(3)) % 3 === steps % 3)
    const through = shortcut ?? rows.find(({ id }) => id === parent)
    if (!through) break
    way.unshift(through.name)
    parent = through.parent
  }
  return way
}

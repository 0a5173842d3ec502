import type { Tree } from './tree.ts'

/**
 * The ids of everything that a path can mean, found by walking the tree. A path means an item if it consists of the names from the root to
 * the item, with at least one slash between them and any number of slashes around them.
 */
export function expectedItems(path: string, { rootId, rows }: Tree): Set<string> {
  const present = rows.filter(({ trashed }) => !trashed)
  const folders = new Set([rootId, ...present.filter(({ kind }) => kind === 'folder').map(({ id }) => id)])
  const expected = new Set<string>()

  const walk = (folder: string, rest: string) => {
    for (const { id, name, kind, target } of present.filter(({ parent }) => parent === folder)) {
      for (let text = rest; ; text = text.slice(1)) {
        if (text.startsWith(name)) arrive({ id, into: kind === 'folder' ? id : target }, text.slice(name.length))
        if (!text.startsWith('/')) break
      }
    }
  }
  const arrive = ({ id, into }: { id: string; into: string | undefined }, rest: string) => {
    if (/^\/*$/.test(rest)) expected.add(id)
    if (into !== undefined && folders.has(into) && rest.startsWith('/')) walk(into, rest.slice(1))
  }
  walk(rootId, path)

  const inside = /^\/*My Drive\/(\/*[^/].*)$/s.exec(path)?.[1]
  return expected.size === 0 && inside !== undefined ? expectedItems(inside, { rootId, rows }) : expected
}

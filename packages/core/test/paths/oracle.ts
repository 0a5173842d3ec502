import type { Tree } from './tree.ts'

/**
 * The ids of everything that a path can mean, found by walking the tree by ids. A path means an item when the names on the way to it,
 * written out with one slash or more between them and any number around them, are the path.
 */
export function meantBy(path: string, { rootId, rows }: Tree): Set<string> {
  const standing = rows.filter(({ trashed }) => !trashed)
  const folders = new Set([rootId, ...standing.filter(({ kind }) => kind === 'folder').map(({ id }) => id)])
  const meant = new Set<string>()

  const walk = (folder: string, rest: string) => {
    for (const { id, name, kind, target } of standing.filter(({ parent }) => parent === folder)) {
      for (let text = rest; ; text = text.slice(1)) {
        if (text.startsWith(name)) arrive({ id, into: kind === 'folder' ? id : target }, text.slice(name.length))
        if (!text.startsWith('/')) break
      }
    }
  }
  const arrive = ({ id, into }: { id: string; into: string | undefined }, rest: string) => {
    if (/^\/*$/.test(rest)) meant.add(id)
    if (into !== undefined && folders.has(into) && rest.startsWith('/')) walk(into, rest.slice(1))
  }
  walk(rootId, path)

  const inside = /^\/*My Drive\/(.*[^/].*)$/s.exec(path)?.[1]
  return meant.size === 0 && inside !== undefined ? meantBy(inside, { rootId, rows }) : meant
}

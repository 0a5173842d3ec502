import type { CallScope } from '@mcp-toolkits/core/call-scope'
import { quote } from '@mcp-toolkits/core/text'
import type { DriveItem } from '../drive/items.ts'
import type { PathScopes } from '../drive/paths.ts'

interface Place {
  readonly folder: string
  /** What the search for a path has found of that name, in any folder; undefined where there was no search. */
  readonly alsoFound: readonly DriveItem[] | undefined
  readonly paths: Pick<PathScopes, 'recentChild'>
  readonly scope: CallScope
}

/** The ids of other items in a folder with the name of an item that is new there, as far as they are known without a request. */
export async function findNamesakes({ id, name }: DriveItem, { folder, alsoFound = [], paths, scope }: Place): Promise<readonly string[]> {
  const found = alsoFound.filter((each) => each.name === name && each.parents.includes(folder))
  const recent = await paths.recentChild(folder, name, scope)
  return [...new Set([...found, ...(recent ? [recent] : [])].map((each) => each.id))].filter((each) => each !== id)
}

const maxListed = 5

/** Says that several items have the same name in one folder, so that a path to them is ambiguous, and what to do about it. */
export function namesakeNotice({ id, name }: DriveItem, namesakes: readonly string[], change: 'new' | 'renamed' | 'moved'): string {
  const count = namesakes.length === 1 ? 'two' : `${namesakes.length + 1}`
  const listed = `${namesakes.slice(0, maxListed).join(', ')}${namesakes.length > maxListed ? ', …' : ''}`
  const wayBack = { new: 'rename or move the new one', renamed: 'rename it again', moved: 'rename it or move it back' }[change]
  return `The folder now has ${count} items named ${quote(name, 300)}: ${listed}, and ${id} (${change}). Nothing was overwritten. The path is now ambiguous, so use ids. If you did not want this, ${wayBack}.`
}

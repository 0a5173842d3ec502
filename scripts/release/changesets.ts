/** The names of the packages that a changeset releases; none for an empty one. */
export function releasedBy(changeset: string): string[] {
  const [, head = ''] = changeset.split(/^---$/m)
  return [...head.matchAll(/^['"]?([^'":\s]+)['"]?\s*:/gm)].map(([, name = '']) => name)
}

/** A change, as far as releases go. Paths are those of git, from the root of the workspace. */
export interface Change {
  readonly files: readonly string[]
  /** The texts of the changesets that the change adds or edits. */
  readonly changesets: readonly string[]
  /** The apps whose version the change sets: it is the release itself. */
  readonly versioned: readonly string[]
}

/** The apps whose users the change reaches although no changeset of it names them, each with the first file that does so. */
export function forgotten(change: Change, bundles: ReadonlyMap<string, ReadonlySet<string>>): ReadonlyMap<string, string> {
  const named = change.changesets.map(releasedBy)
  // An empty changeset is how its author says that no user will notice.
  if (named.some((names) => names.length === 0)) return new Map()
  const announced = new Set([...named.flat().map((name) => name.replace('@mcp-toolkits/', '')), ...change.versioned])
  const reached = [...bundles].flatMap(([app, packages]): [string, string][] => {
    const file = change.files.find((changed) => isBundledInto(changed, app, packages))
    return file === undefined || announced.has(app) ? [] : [[app, file]]
  })
  return new Map(reached)
}

/** Whether every bundle depends on it: how bundles are made, and which version of a dependency is in them. */
function concernsAll(file: string): boolean {
  return file.startsWith('scripts/bundle/') || file === 'pnpm-workspace.yaml'
}

function isBundledInto(file: string, app: string, packages: ReadonlySet<string>): boolean {
  if (concernsAll(file)) return true
  const [top = '', folder = '', ...rest] = file.split('/')
  if (top === 'apps' ? folder !== app : top !== 'packages' || !packages.has(folder)) return false
  const published = top === 'apps' && rest.join('/') === 'README.md'
  return published || rest.join('/') === 'package.json' || (rest[0] === 'src' && !file.endsWith('.test.ts'))
}

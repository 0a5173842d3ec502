import { readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { manifest } from './servers.ts'

/** For each app, the folders of the packages whose code its bundle holds. */
export function bundled(workspace: string): ReadonlyMap<string, ReadonlySet<string>> {
  const packages = path.join(workspace, 'packages')
  const folders = new Map(readdirSync(packages).map((folder) => [String(manifest(path.join(packages, folder))['name']), folder]))
  const reach = (source: string, found: Set<string>): Set<string> => {
    for (const name of imported(source)) {
      const folder = folders.get(name)
      if (folder === undefined || found.has(folder)) continue
      reach(path.join(packages, folder, 'src'), found.add(folder))
    }
    return found
  }
  return new Map(readdirSync(path.join(workspace, 'apps')).map((app) => [app, reach(path.join(workspace, 'apps', app, 'src'), new Set())]))
}

/** Which packages of the workspace the sources in a folder import. A manifest does not tell: it also declares what only tests use. */
function imported(folder: string): Set<string> {
  const sources = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  const texts = sources.map((file) => readFileSync(path.join(folder, file), 'utf8'))
  const specifiers = texts.flatMap((text) => [...text.matchAll(/(?:from |import\(|import )'(@mcp-toolkits\/[^'/]+)/g)])
  return new Set(specifiers.map(([, name = '']) => name))
}

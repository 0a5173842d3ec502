import { readFileSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import type { Options } from 'tsup'

const named = (keyword: string, origin: string) => new RegExp(String.raw`^(${keyword}) (type )?\{([^}]*)\} from '(${origin}[^']+)'$`, 'gm')
const listed = (names: string) => names.split(',').flatMap((name) => name.trim() || [])
const plain = (name: string) => name.replace(/^type /, '')

const rooms = new Map<string, ReadonlyMap<string, string>>()

/** The file behind each name that a file reexports. */
function filesOf(index: string): ReadonlyMap<string, string> {
  const known = rooms.get(index)
  if (known) return known
  const { resolve } = createRequire(index)
  const declarations = [...readFileSync(index, 'utf8').matchAll(named('export', String.raw`(?:\.|@mcp-toolkits/)`))]
  const files = new Map(
    declarations.flatMap(([, , , names = '', from = '']) => {
      const file = resolve(from)
      return listed(names).map((name) => [plain(name), filesOf(file).get(plain(name)) ?? file])
    }),
  )
  rooms.set(index, files)
  return files
}

/**
 * A file's source, which imports from the files behind a room (a folder's index) instead of from the room. An import of a room loads every
 * file that the room names, so a server would load them all at startup.
 */
export function withoutRooms(source: string, importer: string): string {
  const { resolve } = createRequire(importer)
  return source.replace(named('import|export', '@mcp-toolkits/'), (...[, keyword, type, names = '', room = '']: readonly string[]) => {
    const files = filesOf(resolve(room))
    const byFile = Map.groupBy(listed(names), (name) => files.get(plain(name).replace(/ as .*/, '')))
    const declarations = [...byFile].map(([file, used]) => {
      const from = file === undefined ? room : `./${path.relative(path.dirname(importer), file).replaceAll(path.sep, '/')}`
      return type !== undefined || used.every((name) => name.startsWith('type '))
        ? `${keyword} type { ${used.map(plain).join(', ')} } from '${from}'`
        : `${keyword} { ${used.join(', ')} } from '${from}'`
    })
    return declarations.join('\n')
  })
}

/** Bundles the module that an import needs, without its room. */
export const leaveRooms: NonNullable<Options['esbuildPlugins']>[number] = {
  name: 'leave-rooms',
  setup(build) {
    build.onLoad({ filter: /\.tsx?$/ }, async ({ path: file }) => ({
      contents: withoutRooms(await readFile(file, 'utf8'), file),
      loader: file.endsWith('x') ? 'tsx' : 'ts',
    }))
  },
}

import { hash } from 'node:crypto'
import { z } from 'zod'

/** Hashes of a file that has been linted: of all that its lint depends on, and of its exports by name. */
const Linted = z.object({ state: z.string(), exports: z.record(z.string(), z.string()) })
/** Hashes of the files that were clean, by path. */
export const Clean = z.record(z.string(), Linted)
type CleanFiles = z.output<typeof Clean>

/** Exports of a module. The body of a function is left out, because it seldom changes the function's type. */
function exportsOf(text: string): Record<string, string> {
  const parts = text
    .split(/^(?=export )/m)
    .map((part) => (/^export (?:async )?function/.test(part) ? part.split(' {\n', 1).join('') : part))
  return Object.fromEntries(
    parts.flatMap((part) => {
      const name = /^export (?:async )?(?:function\*?|const|class|interface|type) (\w+)/.exec(part)?.[1]
      return name === undefined ? [] : [[name, hash('sha1', part)]]
    }),
  )
}

/** Hashes of `files`, given as paths with their texts, under `rules`. */
export function hashesOf(files: readonly (readonly [path: string, text: string])[], rules: string): CleanFiles {
  const hashed = hash('sha1', rules)
  return Object.fromEntries(files.map(([path, text]) => [path, { state: hash('sha1', hashed + text), exports: exportsOf(text) }]))
}

/**
 * Paths of the files to lint: those that have changed since they were `clean`, and those that import a name whose declaration has changed.
 * Where a function becomes async, the mistake is in its callers.
 */
export function staleFiles(files: readonly (readonly [path: string, text: string])[], now: CleanFiles, clean: CleanFiles): string[] {
  const changed = Object.entries(now).filter(([path, { state }]) => clean[path]?.state !== state)
  const names = changed.flatMap(([path, { exports }]) =>
    Object.keys(exports).filter((name) => clean[path]?.exports[name] !== exports[name]),
  )
  const importing = new RegExp(`^(?:import|export) [^'=(]*\\b(?:${names.join('|')})\\b[^'=(]* from '`, 'm')
  const importers = names.length > 0 ? files.filter(([, text]) => importing.test(text)) : []
  return [...new Set([...changed, ...importers].map(([path]) => path))]
}

import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { isObject } from '@mcp-toolkits/core/base'

const folder = path.join(import.meta.dirname, '../src/linear')
const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.ts'))

interface Operation {
  readonly name: string
  readonly text: string
}

/** Every document that a file in `src/linear` exports, and the number of documents that it declares. */
async function operationsIn(file: string): Promise<{ readonly exported: readonly Operation[]; readonly declared: number }> {
  const module: unknown = await import(path.join(folder, file))
  const source = await readFile(path.join(folder, file), 'utf8')
  const declared =
    [...source.matchAll(/^(?:export )?const \w+ = (?:query|mutation|update)\(/gm)].length +
    2 * [...source.matchAll(/^(?:export )?const \w+ = creation\(/gm)].length
  const exports = Object.values<unknown>(Object.assign({}, module))
  const documents = exports.flatMap((each) => (typeof each === 'function' && 'documents' in each ? each.documents : each))
  return { exported: documents.filter(isOperation), declared }
}

function isOperation(value: unknown): value is Operation {
  return isObject(value) && 'text' in value && 'name' in value && 'data' in value
}

const all = await Promise.all(files.map(operationsIn))

/** Every document of every tool. */
export const operations = all.flatMap(({ exported }) => exported.map(({ name, text }) => ({ name, text })))

/** Number of documents that the sources declare, exported or not. */
export const declaredOperations = all.reduce((sum, { declared }) => sum + declared, 0)

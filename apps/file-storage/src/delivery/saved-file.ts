import { open, realpath, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { InvalidInput, isSystemError, quote, Unavailable } from '@mcp-toolkits/core/errors'
import type { FileContent } from '@mcp-toolkits/core/tool'

/** Maximum length of a name, in bytes, leaving room for a number. */
const maxNameBytes = 200
/** Maximum number of files with the same name in a folder. */
const maxNamesakes = 100

/**
 * Writes content to a new file directly in a folder, and returns its path. The name in Drive is untrusted text: it cannot lead out of the
 * folder, and an existing file, link or folder with that name is never touched.
 */
export async function saveContent({ uri, bytes }: FileContent, directory: string): Promise<string> {
  const folder = await realFolder(directory)
  const name = safeName(nameIn(uri))
  const { name: stem, ext } = path.parse(name)
  for (let number = 0; number < maxNamesakes; number += 1) {
    const file = path.join(folder, number === 0 ? name : `${stem} (${number})${ext}`)
    if (await writeNew(file, bytes)) return file
  }
  throw new Unavailable(`${quote(folder)} already has ${maxNamesakes} files called ${quote(name)}. Move some of them away.`, {
    retryable: false,
  })
}

async function realFolder(directory: string): Promise<string> {
  try {
    const folder = await realpath(directory)
    if ((await stat(folder)).isDirectory()) return folder
  } catch (error) {
    if (!isSystemError(error)) throw error
  }
  throw new InvalidInput(`The download folder ${quote(directory)} does not exist. Create it, or name a different one.`)
}

/** False if the name is taken, even by a dangling link. */
async function writeNew(file: string, bytes: Uint8Array): Promise<boolean> {
  try {
    const handle = await open(file, 'wx', 0o600)
    try {
      await handle.writeFile(bytes)
    } catch (error) {
      await rm(file, { force: true })
      throw error
    } finally {
      await handle.close()
    }
    return true
  } catch (error) {
    if (!isSystemError(error)) throw error
    if (error.code === 'EEXIST') return false
    throw new Unavailable(`${quote(file)} could not be written (${error.code}). Nothing was kept.`, { retryable: false })
  }
}

/** The name in the content's URI, with a chunk's range. */
function nameIn(uri: string): string {
  const { pathname, hash } = new URL(uri)
  const last = decodeURIComponent(pathname.split('/').at(-1) ?? '')
  return `${last}${hash.replace('#bytes=', '.bytes-')}`
}

/** A name without anything that operating systems treat specially: separators, control characters, a leading dot, device names. */
export function safeName(written: string): string {
  const plain = written.normalize('NFC').replaceAll(/[\p{C}\p{Zl}\p{Zp}/\\:*?"<>|]/gu, '_')
  const trimmed = withoutEnd(plain.replace(/^[\s.]+/, '_'))
  const named = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/i.test(trimmed) ? `_${trimmed}` : trimmed
  if (named === '') return 'file'
  const { name, ext } = path.parse(named)
  const kept = Buffer.byteLength(ext) > maxNameBytes / 2 ? '' : ext
  return cut(name === '' ? 'file' : name, maxNameBytes - Buffer.byteLength(kept)) + kept
}

/** A name without trailing spaces and dots, which Windows drops. */
function withoutEnd(name: string): string {
  const characters = Array.from(name)
  return characters.slice(0, characters.findLastIndex((character) => !/[\s.]/.test(character)) + 1).join('')
}

function cut(text: string, maxBytes: number): string {
  let length = 0
  return Array.from(text)
    .filter((character) => (length += Buffer.byteLength(character)) <= maxBytes)
    .join('')
}

import { createWriteStream } from 'node:fs'
import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isObject } from '@mcp-toolkits/core/base'
import { isSystemError } from '@mcp-toolkits/core/errors'
import type { FileCall, OpenFile } from '@mcp-toolkits/server'
import { UsageError } from '@mcp-toolkits/server/cli'
import { inputUrl, inputVariable } from './upstream.ts'

/** Passes a file on this machine to SendEventsFromFile. Piped input (`-`) is written to a temporary file first. Throws `UsageError`. */
export async function openInput({ settings, args, file, input, signal }: FileCall): Promise<OpenFile> {
  const written = isObject(args) ? args : {}
  if (written['source_url'] !== undefined || written['text'] !== undefined) throw new UsageError('Give either --input, source_url or text.')
  const source = file === '-' ? await storePiped(input, signal) : { path: path.resolve(file), remove: () => Promise.resolve() }
  const found = await stat(source.path).catch((error: unknown) => {
    if (isSystemError(error)) throw new UsageError(`${file} cannot be read (${error.code}).`)
    throw error
  })
  if (!found.isFile()) throw new UsageError(`${file} is not a file. Name a file, or pipe the rows to --input -.`)
  return {
    settings: { ...settings, environment: { ...settings.environment, [inputVariable]: source.path } },
    completed: {
      args: { ...written, source_url: inputUrl },
      given: { ...written, source_url: `${source.path} ${found.size} ${found.mtimeMs}` },
    },
    close: () => source.remove(),
  }
}

/** Stores piped input, because the file may be read several times. */
async function storePiped(input: Readable, signal: AbortSignal): Promise<{ readonly path: string; readonly remove: () => Promise<void> }> {
  if ('isTTY' in input && input.isTTY === true) throw new UsageError('--input - reads what is piped in. Name a file otherwise.')
  const directory = await mkdtemp(path.join(tmpdir(), 'rows-'))
  const remove = () => rm(directory, { recursive: true, force: true })
  const file = path.join(directory, 'rows')
  try {
    await pipeline(input, createWriteStream(file, { mode: 0o600 }), { signal })
    return { path: file, remove }
  } catch (error) {
    await remove()
    throw error
  }
}

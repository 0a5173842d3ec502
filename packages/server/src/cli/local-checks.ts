import { randomUUID } from 'node:crypto'
import { access, constants, rm, stat, statfs, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Environment } from '@mcp-toolkits/core'
import { isSystemError } from '@mcp-toolkits/core/system-error'
import type { ServerDefinition, Settings } from '../definition.ts'
import { misspeltVariables, unusedVariables } from './variables.ts'

/** One finding of `doctor`. Only a problem keeps the server from working. */
export interface Check {
  readonly name: string
  readonly state: 'ok' | 'problem' | 'warning' | 'skipped'
  readonly text: string
  /** What the person does about it. */
  readonly fix?: string
}

/** An old Node gets no further than the start of the command. */
export function checkNode(): Check {
  return { name: 'Node', state: 'ok', text: process.versions.node }
}

/** With less space, the next writes may fail. */
const minFreeBytes = 100 * 1024 * 1024

/** Whether files can be written and locked where the server stores them, and whether the disk has room. Leaves nothing behind. */
export async function checkDirectory({ dataDirectory }: Pick<Settings, 'dataDirectory'>): Promise<Check> {
  const name = 'Data directory'
  try {
    const existing = await nearestExisting(dataDirectory)
    const { bavail, bsize } = await statfs(existing)
    const free = bavail * bsize
    if (existing !== dataDirectory) await access(existing, constants.W_OK | constants.X_OK)
    else await tryWriting(dataDirectory)
    const text = `${dataDirectory} ${existing === dataDirectory ? 'can be written and locked' : 'can be created'}; ${sizeText(free)} free`
    if (free >= minFreeBytes) return { name, state: 'ok', text }
    return { name, state: 'problem', text, fix: 'Free some space on that disk, or choose another directory with --data-dir.' }
  } catch (error) {
    const code = isSystemError(error) ? error.code : 'it cannot be locked'
    const fix =
      'Give your user permission to write there, or choose another directory, on a local disk, with --data-dir or MCP_TOOLKITS_DATA_DIR.'
    return { name, state: 'problem', text: `${dataDirectory} cannot be used (${code}).`, fix }
  }
}

/** The directory itself, or the one in which it would be created. */
async function nearestExisting(directory: string): Promise<string> {
  for (let place = directory; ; place = path.dirname(place)) {
    const found = await stat(place).catch((error: unknown) => {
      if (isSystemError(error) && error.code === 'ENOENT' && place !== path.dirname(place)) return undefined
      throw error
    })
    if (found?.isDirectory() === true) return place
    if (found) throw Object.assign(new Error(place), { code: 'ENOTDIR', syscall: 'stat' })
  }
}

/** Writes a file and locks another as a server does: some network file systems have no locks. */
async function tryWriting(directory: string): Promise<void> {
  const trial = path.join(directory, `.doctor-${randomUUID()}`)
  try {
    await writeFile(trial, 'written by doctor', { flag: 'wx', mode: 0o600 })
    await rm(trial)
    const { openProcessLock } = await import('@mcp-toolkits/store')
    openProcessLock(trial).close()
  } finally {
    await rm(trial, { recursive: true, force: true })
  }
}

function sizeText(bytes: number): string {
  const gigabytes = bytes / 1024 ** 3
  return gigabytes >= 1 ? `${gigabytes.toFixed(0)} GiB` : `${(bytes / 1024 ** 2).toFixed(0)} MiB`
}

/** Whether variables are misspelt, or are those of other programs. */
export async function checkVariables(
  definition: Pick<ServerDefinition<never>, 'name' | 'loadVariables'>,
  environment: Environment,
): Promise<Check> {
  const found = [...(await misspeltVariables(definition, environment)), ...(await unusedVariables(definition, environment))]
  if (found.length === 0) return { name: 'Variables', state: 'ok', text: 'none is misspelt' }
  return { name: 'Variables', state: 'warning', text: found.join('\n') }
}

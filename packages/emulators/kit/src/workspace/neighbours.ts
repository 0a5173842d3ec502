import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import path from 'node:path'
import { isProcessLockHeld, openProcessLock } from '@mcp-toolkits/sqlite'
import { isObject, parseJson } from '../json.ts'

/** A workspace served by a process on this machine. */
export interface ServedWorkspace {
  /** The emulated API. */
  readonly service: string
  readonly url: string
}

const suffix = '.json'

/** Runs work on files; returns `otherwise` if a file is missing or in use, because only a link is lost. */
function attempt<T>(work: () => T, otherwise: T): T {
  try {
    return work()
  } catch {
    return otherwise
  }
}

/** Announces a workspace to the other workspaces in a directory, until the returned function is called or this process ends. */
export function announceBeside(directory: string, served: ServedWorkspace): () => void {
  const lock = attempt(() => openProcessLock(directory), undefined)
  if (!lock) return () => undefined
  const file = path.join(directory, lock.id + suffix)
  attempt(() => {
    writeFileSync(file, JSON.stringify(served), { mode: 0o600 })
  }, undefined)
  return () => {
    rmSync(file, { force: true })
    lock.close()
  }
}

/** The workspaces in a directory, sorted by API name. */
export function workspacesIn(directory: string): readonly ServedWorkspace[] {
  const names = attempt(() => readdirSync(directory), []).filter((name) => name.endsWith(suffix))
  const found = names.flatMap((name) => attempt(() => readServed(directory, name), []))
  return [...new Map(found.map((each) => [each.service, each])).values()].sort((one, other) => one.service.localeCompare(other.service))
}

function readServed(directory: string, name: string): ServedWorkspace[] {
  const file = path.join(directory, name)
  if (!isProcessLockHeld(directory, name.slice(0, -suffix.length))) {
    rmSync(file, { force: true })
    return []
  }
  const saved = parseJson(readFileSync(file, 'utf8'))
  if (!isObject(saved) || typeof saved['service'] !== 'string' || typeof saved['url'] !== 'string') return []
  const isHere = URL.canParse(saved['url']) && new URL(saved['url']).hostname === '127.0.0.1'
  return isHere ? [{ service: saved['service'], url: saved['url'] }] : []
}

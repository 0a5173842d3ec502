import { existsSync, readdirSync } from 'node:fs'
import { dataPath } from '@mcp-toolkits/core/data-path'
import { count } from '@mcp-toolkits/core/text'
import type { Settings } from '@mcp-toolkits/server'
import { account } from './account.ts'

/** The unfinished uploads in the data directory, which a server with another store does not continue. */
export function localWork({ dataDirectory }: Pick<Settings, 'dataDirectory'>): readonly string[] {
  const directory = dataPath(dataDirectory, account.server, 'uploads')
  const states = existsSync(directory) ? readdirSync(directory).filter((name) => name.endsWith('.json')) : []
  if (states.length === 0) return []
  return [
    `${count(states.length, 'unfinished upload')} in ${directory}. A server with --store does not continue them: a repeat of such a call begins anew.`,
  ]
}

// Places in this checkout: its servers, the peers, and the file that redirects requests.
import path from 'node:path'
import { ourServers } from './servers.ts'

const root = path.join(import.meta.dirname, '..', '..')

export const places = {
  cache: path.join(root, 'node_modules', '.cache', 'peers'),
  preload: path.join(root, 'lab', 'benchmarks', 'peers', 'preload.ts'),
}

/** The file that starts one of our servers. */
export const mainOf = (name: string): string => path.join(root, 'apps', name, 'dist', 'main.js')

/** Our servers, as built here. */
export const builtServers = ourServers(mainOf)

// Places in this checkout: of its servers, of the peers, and of the file that redirects requests.
import path from 'node:path'
import { ourServers } from './servers.ts'

const root = path.join(import.meta.dirname, '..', '..')

export const places = {
  cache: path.join(root, 'node_modules', '.cache', 'peers'),
  preload: path.join(root, 'lab', 'benchmarks', 'peers', 'preload.ts'),
}

/** The file that starts a server of ours. */
export const mainOf = (name: string): string => path.join(root, 'apps', name, 'dist', 'main.js')

/** Our servers, as they were built. */
export const builtServers = ourServers(mainOf)

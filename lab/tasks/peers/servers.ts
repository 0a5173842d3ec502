// Other people's servers, from npm.
import path from 'node:path'
import { installInto } from '../install.ts'
import { redirection, type ServerCommand, type Servers } from '../servers.ts'
import { type PeerPackage, peerPackages } from './packages.ts'

/** The peers, by their names on npm. */
export const peers = new Map<string, PeerPackage>(Object.entries(peerPackages))

/** The directory into which peers are installed, and the file that redirects their requests. */
export interface PeerPlaces {
  readonly cache: string
  readonly preload: string
}

/** A peer's server, by its name on npm; installed if necessary. */
export function peerServers(name: string, { cache, preload }: PeerPlaces): Servers | undefined {
  const peer = peers.get(name)
  if (!peer) return undefined
  const { vendor, version, main, environment } = peer
  const spec = `${name}@${version}`
  const directory = path.join(cache, spec.replaceAll(/[@/]/g, '_'))
  installInto(directory, spec)
  const command: ServerCommand = {
    command: process.execPath,
    args: [path.join(directory, 'node_modules', name, main)],
    environment: { ...environment, ...redirection(preload) },
  }
  return { [vendor]: command }
}

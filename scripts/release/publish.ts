// Publishes what is in `packed`, as far as the registry does not have it: the servers in SERVERS, or all. Needs nothing that is installed, so that the job that
// may publish runs no code but this, Node's and npm's. --without-provenance is for a registry or a machine that cannot attest.
import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import { isPublished, packed, planned, versioned, type Server } from './servers.ts'

/** From this version on npm trades the identity of a workflow for the right to publish. */
const needed = [11, 5, 1] as const

function checkNpm(): void {
  const version = execFileSync('npm', ['--version'], { encoding: 'utf8' }).trim()
  const parts = version.split('.').map(Number)
  const differing = needed.findIndex((part, at) => parts[at] !== part)
  if (differing >= 0 && (parts[differing] ?? 0) < (needed[differing] ?? 0)) {
    throw new Error(`Publishing needs npm ${needed.join('.')} or later, and this is ${version}. Node 24 brings one.`)
  }
}

function publish({ app, version }: Server): void {
  const tarball = path.join(packed, `mcp-toolkits-${app}-${version}.tgz`)
  if (!existsSync(tarball)) throw new Error(`${tarball} is missing; npm run release:pack makes it.`)
  const provenance = process.argv.includes('--without-provenance') ? '--provenance=false' : '--provenance'
  execFileSync('npm', ['publish', tarball, '--access', 'public', provenance], { stdio: 'inherit' })
}

checkNpm()
for (const server of process.env['SERVERS'] === undefined ? versioned() : planned()) {
  const already = await isPublished(server)
  if (!already) publish(server)
  console.log(`${server.name}@${server.version} ${already ? 'was there already' : 'is published'}.`)
}

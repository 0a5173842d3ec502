// Makes a GitHub release for each server of this release: its part of the changelog, and the bundle that Claude Desktop opens.
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { packed, planned, root, type Server } from './servers.ts'

/** What the changelog says under the heading of this version. */
function notes({ app, name, version }: Server): string {
  const changelog = readFileSync(path.join(root, 'apps', app, 'CHANGELOG.md'), 'utf8')
  const section = changelog.split(/^## /m).find((part) => part.startsWith(`${version}\n`))
  if (section === undefined) throw new Error(`The changelog of ${name} says nothing of ${version}.`)
  return section.slice(version.length).trim()
}

function release(server: Server): void {
  const tag = `${server.name}@${server.version}`
  if (spawnSync('gh', ['release', 'view', tag], { stdio: 'ignore' }).status === 0) {
    console.log(`${tag} was released already.`)
    return
  }
  const bundle = path.join(packed, `${server.app}-${server.version}.mcpb`)
  if (!existsSync(bundle)) throw new Error(`${bundle} is missing; npm run release:pack makes it.`)
  const target = process.env['GITHUB_SHA'] ?? 'main'
  execFileSync('gh', ['release', 'create', tag, bundle, '--title', tag, '--target', target, '--notes-file', '-'], {
    input: notes(server),
    stdio: ['pipe', 'inherit', 'inherit'],
  })
}

for (const server of planned()) release(server)

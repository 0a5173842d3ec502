// Creates a GitHub release for each package in PACKAGES: its part of the changelog and, for a server, the bundle that Claude Desktop opens.
import { execFileSync, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { plannedReleases, toRecord } from '../../releases/releases.ts'

for (const { packageName, version, folder, bundle } of plannedReleases()) {
  const tag = `${packageName}@${version}`
  const { status, stdout } = spawnSync('gh', ['release', 'view', tag, '--json', 'isDraft'], { encoding: 'utf8' })
  if (status === 0) {
    if (toRecord(JSON.parse(stdout))['isDraft'] !== true) continue
    // A run interrupted during the upload leaves a draft.
    execFileSync('gh', ['release', 'delete', tag, '--yes'], { stdio: 'inherit' })
  }
  const changelog = readFileSync(path.join(folder, 'CHANGELOG.md'), 'utf8')
  const notes = changelog.split(/^## /m).find((section) => section.startsWith(`${version}\n`))
  if (notes === undefined) throw new Error(`${folder}/CHANGELOG.md has no section for ${version}.`)
  const target = process.env['GITHUB_SHA'] ?? 'main'
  execFileSync(
    'gh',
    ['release', 'create', tag, ...(bundle === undefined ? [] : [bundle]), '--title', tag, '--target', target, '--notes-file', '-'],
    {
      input: notes.slice(version.length).trim(),
      stdio: ['pipe', 'inherit', 'inherit'],
    },
  )
}

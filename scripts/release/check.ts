// Fails where a change reaches the users of a server and no changeset of the change says so. Compares with the branch in BASE.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { bundled } from './bundled.ts'
import { forgotten } from './changesets.ts'
import { servers } from './servers.ts'

const workspace = process.cwd()
const git = (...args: string[]) => execFileSync('git', args, { cwd: workspace, encoding: 'utf8' })
const base = git('merge-base', process.env['BASE'] ?? 'origin/main', 'HEAD').trim()

/** Also what is not committed yet, for whoever runs this before a commit. */
const files = [...git('diff', '--name-only', base).split('\n'), ...git('ls-files', '--others', '--exclude-standard').split('\n')]

function versionBefore(app: string): string | undefined {
  try {
    const manifest: unknown = JSON.parse(git('show', `${base}:apps/${app}/package.json`))
    return typeof manifest === 'object' && manifest !== null && 'version' in manifest ? String(manifest.version) : undefined
  } catch {
    return undefined
  }
}

const changesets = files
  .filter((file) => /^\.changeset\/.*\.md$/.test(file) && !file.endsWith('README.md') && existsSync(path.join(workspace, file)))
  .map((file) => readFileSync(path.join(workspace, file), 'utf8'))
const versioned = servers(workspace)
  .filter(({ app, version }) => versionBefore(app) !== version)
  .map(({ app }) => app)

const missing = forgotten({ files, changesets, versioned }, bundled(workspace))
for (const [app, file] of missing) console.error(`${file} is part of @mcp-toolkits/${app}, and no changeset of this change names it.`)
if (missing.size > 0) {
  console.error('\nSay what its users will notice: npm run changeset\nWhere they will notice nothing: npm run changeset -- --empty')
  process.exitCode = 1
}

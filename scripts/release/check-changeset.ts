// Fails if a change reaches a package's users without a changeset that announces it. Compares with the branch in BASE.
import { execFileSync } from 'node:child_process'
import { servers } from '../../servers.ts'
import { changesetsIn, emulatorReleases } from '../../releases/releases.ts'

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n')
const [base = ''] = git('merge-base', process.env['BASE'] ?? 'origin/main', 'HEAD')
const files = [...git('diff', '--name-only', '--diff-filter=d', base), ...git('ls-files', '--others', '--exclude-standard')]

/** Files that end up in a published package; `testing` and tests do not. */
const shippedPaths =
  /^((apps|packages(?!\/testing\/)(\/emulators)?)\/[^/]+\/(src\/|package\.json)|(apps|packages\/emulators)\/[^/]+\/README\.md|lab\/tasks\/|releases\/|scripts\/bundle\/|pnpm-workspace\.yaml)/
const shipped = files.filter((file) => shippedPaths.test(file) && !file.endsWith('.test.ts'))
const changesets = files.filter((file) => file.startsWith('.changeset/'))
const { packages, hasEmpty } = changesetsIn('.', changesets)
// A release's commit has new versions and no changesets.
const isRelease = files.some((file) => /^(apps|packages\/emulators)\/[^/]+\/CHANGELOG\.md$/.test(file))

/**
 * Changesets must name each server whose app or emulator changed, and each emulator that changed; otherwise, one changeset for any package
 * is enough.
 */
const expected = servers.flatMap(({ name, emulator, emulatorFolder, packageName }) => {
  const changes = (folder: string) => shipped.some((file) => file.startsWith(`${folder}/`))
  const emulatorChanges = changes(emulatorFolder)
  const published = emulatorReleases.filter((release) => emulatorChanges && release.name === emulator)
  return [...(changes(`apps/${name}`) || emulatorChanges ? [packageName] : []), ...published.map((release) => release.packageName)]
})
const missing = expected.filter((packageName) => !packages.has(packageName))
if (!hasEmpty && !isRelease && (missing.length > 0 || (shipped.length > 0 && packages.size === 0))) {
  const names = missing.join(', ')
  console.error(`${shipped[0] ?? ''} is published, and no changeset in this change names ${names || 'any of them'}.
Describe what users will notice: npm run changeset
If they will notice nothing: npm run changeset -- --empty`)
  process.exitCode = 1
}

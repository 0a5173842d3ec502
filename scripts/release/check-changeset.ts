// Fails when a change reaches the users of a server and no changeset announces it. Compares with the branch in BASE.
import { execFileSync } from 'node:child_process'
import { servers } from '../../servers.ts'
import { changesetsIn } from './releases.ts'

const git = (...args: string[]) => execFileSync('git', args, { encoding: 'utf8' }).split('\n')
const [base = ''] = git('merge-base', process.env['BASE'] ?? 'origin/main', 'HEAD')
const files = [...git('diff', '--name-only', '--diff-filter=d', base), ...git('ls-files', '--others', '--exclude-standard')]

/** Files that end up in a published package; `testing` and tests do not. */
const isShipped = (file: string) =>
  !file.endsWith('.test.ts') &&
  /^(?:(?:apps|packages(?!\/testing\/))\/[^/]+\/(?:src\/|package\.json)|apps\/[^/]+\/README\.md|scripts\/bundle\/|pnpm-workspace\.yaml)/.test(
    file,
  )
const shipped = files.filter(isShipped)

const { packages, hasEmpty } = changesetsIn(
  '.',
  files.filter((file) => file.startsWith('.changeset/')),
)
// The commit of a release has new versions and no changesets.
const isRelease = files.some((file) => /^apps\/[^/]+\/CHANGELOG\.md$/.test(file))
const missing = servers.filter(({ name, emulator, packageName }) => {
  const own = shipped.some((file) => file.startsWith(`apps/${name}/`) || file.startsWith(`packages/${emulator}/`))
  return own && !packages.has(packageName)
})
const complaint =
  missing.length > 0
    ? `No changeset of this change names ${missing.map(({ packageName }) => packageName).join(', ')}.`
    : shipped.length > 0 && packages.size === 0 && `${shipped[0] ?? ''} is part of the servers, and this change has no changeset.`
if (complaint && !hasEmpty && !isRelease) {
  console.error(
    `${complaint}\nDescribe what users will notice: npm run changeset\nIf they will notice nothing: npm run changeset -- --empty`,
  )
  process.exitCode = 1
}

// Decides what follows a push to main: a pull request with new versions while changesets wait, and the publication of every
// package whose version is not on the registry. While a changeset waits, all packages wait for the next version, which they share: the
// commit may contain changes that the present version does not announce.
import { appendFileSync } from 'node:fs'
import { changesetsIn, isPublished, packageReleases, root } from '../../releases/releases.ts'

const { packages } = changesetsIn(root)
// 0.0.0 means "never released".
const versioned = packageReleases.filter(({ version }) => version !== '0.0.0')
const published = await Promise.all(versioned.map(isPublished))
const missing = versioned.filter((_, index) => published[index] === false)
const waits = packages.size > 0
const due = waits ? [] : missing

if (waits) console.log(`Changesets wait for ${[...packages].sort().join(', ')}: open a pull request with their versions.`)
for (const { packageName, version } of missing) {
  const name = `${packageName}@${version} is not on the registry`
  console.log(waits ? `::warning::${name}, and a newer changeset waits. Re-run the failed jobs of its release.` : `${name}: publish it.`)
}
if (!waits && due.length === 0) console.log('There is nothing to do.')
const output = process.env['GITHUB_OUTPUT']
if (output) appendFileSync(output, `version=${waits}\npackages=${JSON.stringify(due.map(({ name }) => name))}\n`)

// Decides on the consequences of a push to main: a pull request with new versions while changesets wait, and the publication of every
// package whose version is not on the registry. A package with a changeset waits for its next version, because the commit may hold changes
// that its present version does not announce.
import { appendFileSync } from 'node:fs'
import { changesetsIn, isPublished, packageReleases, root } from '../../releases/releases.ts'

const { packages } = changesetsIn(process.env['WORKSPACE'] ?? root)
// 0.0.0 means "never released".
const versioned = packageReleases.filter(({ version }) => version !== '0.0.0')
const published = await Promise.all(versioned.map(isPublished))
const missing = versioned.filter((_, index) => published[index] === false)
const due = missing.filter(({ packageName }) => !packages.has(packageName))

if (packages.size > 0) console.log(`Changesets wait for ${[...packages].sort().join(', ')}: open a pull request with their versions.`)
for (const { packageName, version } of due) console.log(`${packageName}@${version} is not on the registry: publish it.`)
for (const { packageName, version } of missing.filter((release) => !due.includes(release))) {
  console.log(
    `::warning::${packageName}@${version} is not on the registry, and a newer changeset waits. Re-run the failed jobs of its release.`,
  )
}
if (packages.size === 0 && due.length === 0) console.log('There is nothing to do.')
const output = process.env['GITHUB_OUTPUT']
if (output) appendFileSync(output, `version=${packages.size > 0}\npackages=${JSON.stringify(due.map(({ name }) => name))}\n`)

// Decides what a push to the main branch leads to: a pull request with new versions, while changesets wait; and the publication of
// every server whose version the registry does not have and that no changeset waits for. A later commit may hold what such a changeset
// tells of, and would bring it out under a version that does not: that server waits for its next version.
import { appendFileSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { releasedBy } from './changesets.ts'
import { isPublished, root, versioned, type Server } from './servers.ts'

/** The names of the packages that changesets wait for. */
function awaiting(): Set<string> {
  const folder = path.join(root, '.changeset')
  const files = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md')
  return new Set(files.flatMap((name) => releasedBy(readFileSync(path.join(folder, name), 'utf8'))))
}

async function unpublished(): Promise<Server[]> {
  const asked = await Promise.all(versioned().map(async (server) => ({ server, there: await isPublished(server) })))
  return asked.filter(({ there }) => !there).map(({ server }) => server)
}

const changed = awaiting()
const missing = await unpublished()
const due = missing.filter(({ name }) => !changed.has(name))
if (changed.size > 0) console.log(`Changesets wait for ${[...changed].sort().join(', ')}: a pull request with their versions.`)
for (const { name, version } of due) console.log(`${name}@${version} is not on the registry yet: to be published.`)
for (const { name, version } of missing.filter((server) => !due.includes(server))) {
  console.log(
    `::warning::${name}@${version} is not on the registry, and a changeset for it waits by now. Re-run the failed jobs of its release.`,
  )
}
if (changed.size === 0 && due.length === 0) console.log('Nothing is to be done.')
const output = process.env['GITHUB_OUTPUT']
if (output !== undefined) appendFileSync(output, `version=${changed.size > 0}\nservers=${JSON.stringify(due.map(({ app }) => app))}\n`)

// Decides what a push to the main branch leads to: a pull request with new versions, while changesets wait; otherwise the
// publication of every server whose version the registry does not have; otherwise nothing.
import { appendFileSync, readFileSync, readdirSync } from 'node:fs'
import path from 'node:path'
import { releasedBy } from './changesets.ts'
import { isPublished, root, servers, type Server } from './servers.ts'

function changesetsWait(): boolean {
  const folder = path.join(root, '.changeset')
  const files = readdirSync(folder).filter((name) => name.endsWith('.md') && name !== 'README.md')
  return files.some((name) => releasedBy(readFileSync(path.join(folder, name), 'utf8')).length > 0)
}

async function unpublished(): Promise<Server[]> {
  const asked = await Promise.all(servers().map(async (server) => ({ server, there: await isPublished(server) })))
  return asked.filter(({ there }) => !there).map(({ server }) => server)
}

const waiting = changesetsWait()
const due = waiting ? [] : await unpublished()
const mode = waiting ? 'version' : due.length > 0 ? 'publish' : 'none'
console.log(`Mode: ${mode}`)
for (const { name, version } of due) console.log(`${name}@${version} is not on the registry yet.`)
const output = process.env['GITHUB_OUTPUT']
if (output !== undefined) appendFileSync(output, `mode=${mode}\nservers=${JSON.stringify(due.map(({ app }) => app))}\n`)

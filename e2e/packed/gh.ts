#!/usr/bin/env node
// Stands in for GitHub's command: keeps releases in a file in the home directory, and publishes a release once its files are there.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import path from 'node:path'
import { parseArgs } from 'node:util'
import * as z from 'zod'

const Releases = z.array(z.object({ tag: z.string(), isDraft: z.boolean(), files: z.array(z.string()), notes: z.string() }))
const store = path.join(homedir(), 'releases.json')
const releases = Releases.parse(JSON.parse(readFileSync(store, 'utf8')))
const save = (all: typeof releases) => {
  writeFileSync(store, JSON.stringify(all))
}

const option = { type: 'string' } as const
const options = { json: option, title: option, target: option, 'notes-file': option, yes: { type: 'boolean' } } as const
const { values, positionals } = parseArgs({ options, allowPositionals: true })
const [command, action, tag = '', ...files] = positionals
const ofTag = releases.filter((release) => release.tag === tag)
const published = ofTag.find(({ isDraft }) => !isDraft)
// A draft is found by its tag as long as the tag has no release.
const found = published ?? ofTag[0]

function run(): string {
  switch (`${command ?? ''} ${action ?? ''}`) {
    case 'release view':
      if (!found) throw new Error('release not found')
      return values.json === 'isDraft' ? JSON.stringify({ isDraft: found.isDraft }) : `title: ${tag}`
    case 'release delete':
      if (!found) throw new Error('release not found')
      save(releases.filter((release) => release !== found))
      return ''
    case 'release create': {
      if (published) throw new Error('HTTP 422: Validation Failed: Release.tag_name already exists')
      const missing = files.find((file) => !existsSync(file))
      if (missing !== undefined) throw new Error(`no matches found for \`${missing}\``)
      const notes = values['notes-file'] === '-' ? readFileSync(0, 'utf8') : ''
      save([...releases, { tag, isDraft: false, files: files.map((file) => path.basename(file)), notes }])
      return `https://github.com/mcp-toolkits/mcp-toolkits/releases/tag/${tag}`
    }
    default:
      throw new Error(`unknown command "${positionals.join(' ')}"`)
  }
}

process.stdout.write(`${run()}\n`)

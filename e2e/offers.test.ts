import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { distribution as eventPipeline } from '../apps/event-pipeline/src/distribution.ts'
import { distribution as fileStorage } from '../apps/file-storage/src/distribution.ts'
import { distribution as issueTracker } from '../apps/issue-tracker/src/distribution.ts'
import { options, sharedVariables, type Option, type Variable } from '../packages/server/src/options.ts'
import { runNode } from './command.ts'
import { list, member, readJson, root } from './packed.ts'

const apps = [
  { app: 'event-pipeline', offer: eventPipeline, prefix: 'EVENT_PIPELINE', tools: 'AddToGroup,TrackUserEvent' },
  { app: 'file-storage', offer: fileStorage, prefix: 'FILE_STORAGE', tools: 'WhoAmI' },
  { app: 'issue-tracker', offer: issueTracker, prefix: 'ISSUE_TRACKER', tools: 'IssueTracker.GetIssue' },
] as const

const variablesOfOptions = Object.values<Option>(options).flatMap(({ variable, form, help = '' }): Variable[] =>
  variable === undefined ? [] : [{ name: variable, about: form?.variable.about ?? help }],
)
const shared = [...variablesOfOptions, ...sharedVariables]

const clients = ['claude-desktop', 'claude-code', 'cursor', 'vscode', 'codex'] as const

describe.for(apps)('$app', ({ app, offer, prefix, tools }) => {
  let directory = ''
  beforeAll(() => {
    directory = realpathSync(mkdtempSync(path.join(tmpdir(), 'offers-')))
    mkdirSync(path.join(directory, 'node_modules', '@mcp-toolkits'), { recursive: true })
    symlinkSync(path.join(root, 'apps', app), path.join(directory, 'node_modules', '@mcp-toolkits', app), 'junction')
  })
  afterAll(() => {
    rmSync(directory, { recursive: true })
  })

  const own = (file: string) => path.join(root, 'apps', app, file)
  /** What `config` prints where the package is installed. */
  const config = async (client: string, ...options: string[]) => {
    const program = path.join(directory, 'node_modules', '@mcp-toolkits', app, 'dist', 'main.js')
    const { code, output } = await runNode([program, 'config', client, ...options])
    expect(code).toBe(0)
    return output.trim()
  }
  test('config prints the same line for a global installation, which is started by a link', async () => {
    const real = path.join(directory, 'lib', 'node_modules', app)
    cpSync(path.join(root, 'apps', app, 'dist'), real, { recursive: true })
    symlinkSync(path.join(real, 'main.js'), path.join(directory, `${app}-mcp`))
    writeFileSync(path.join(directory, 'lib', 'node_modules', 'package.json'), '{"type":"module"}')
    const { output } = await runNode([path.join(directory, `${app}-mcp`), 'config', 'claude-code'])
    expect(output).toContain(`-- npx -y @mcp-toolkits/${app}`)
  })

  const readme = () => readFileSync(own('README.md'), 'utf8').split(/<!-- install:(?:begin|end) -->/)[1] ?? ''

  test('its entry for the registry is within the limits of the schema, and every variable of a secret is marked', () => {
    const entry = readJson(own('server.json'))
    const known = ['$schema', 'description', 'name', 'packages', 'repository', 'title', 'version', 'websiteUrl']
    expect(Object.keys(entry).sort()).toEqual(known)
    expect(entry['$schema']).toBe('https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json')
    expect(entry['name']).toMatch(/^[a-zA-Z0-9.-]{1,100}\/[a-zA-Z0-9._-]{1,99}$/)
    for (const text of ['title', 'description']) expect(String(entry[text])).toMatch(/^.{1,100}$/)
    const packages = list(entry['packages'])
    expect(packages).toMatchObject([
      {
        registryType: 'npm',
        identifier: `@mcp-toolkits/${app}`,
        version: entry['version'],
        runtimeHint: 'npx',
        transport: { type: 'stdio' },
      },
    ])
    const variables = list(member(packages[0], 'environmentVariables'))
    expect(variables.length).toBeGreaterThan(2)
    for (const each of variables) {
      const told = [...offer.variables, ...shared].find(({ name }) => name === member(each, 'name'))
      expect(each).toMatchObject({ description: told?.about, isRequired: false, isSecret: told?.secret ?? false, format: 'string' })
    }
    expect(variables.some((each) => member(each, 'isSecret') === true)).toBe(true)
  })

  test('package, registry, bundle and workspace agree on name, version and address', () => {
    const workspace = String(member(readJson(path.join(root, 'package.json'))['repository'], 'url'))
    const [, url = '', owner = ''] = /^git\+(https:\/\/github\.com\/([^/]+)\/[^/]+)\.git$/.exec(workspace) ?? []
    const manifest = readJson(own('package.json'))
    const entry = readJson(own('server.json'))
    const bundle = readJson(own('mcpb/manifest.json'))
    expect(manifest).toMatchObject({ mcpName: `io.github.${owner}/${app}`, repository: { url: workspace, directory: `apps/${app}` } })
    expect(entry).toMatchObject({ name: manifest['mcpName'], version: manifest['version'], repository: { url, subfolder: `apps/${app}` } })
    expect(bundle).toMatchObject({ version: manifest['version'], repository: { url: `${url}.git` } })
    const files = ['package.json', 'server.json', 'mcpb/manifest.json', 'README.md'].map(own)
    const everything = [...files, path.join(root, 'Dockerfile')].map((file) => readFileSync(file, 'utf8'))
    const owners = [...everything.join('\n').matchAll(/github\.com\/([\w-]+)\/mcp-toolkits|io\.github\.([\w-]+)/g)]
    expect(new Set(owners.map(([, inAddress, inName]) => inAddress ?? inName))).toEqual(new Set([owner]))
  })

  test('the variables that are offered are those that the bundle reads', () => {
    const bundle = readdirSync(own('dist')).filter((file) => file.endsWith('.js'))
    const text = bundle.map((file) => readFileSync(own(`dist/${file}`), 'utf8')).join('\n')
    const read = new Set([...text.matchAll(new RegExp(`\\b(?:${prefix}|MCP_TOOLKITS)_[A-Z_]+\\b`, 'g'))].map(([name]) => name))
    const offered = [...offer.variables, ...shared].map(({ name }) => name)
    expect([...read].sort()).toEqual(offered.sort())
  })

  test('each link of the README installs what config prints', async () => {
    const [vscode, cursor] = [...readme().matchAll(/\[Install in (?:VS Code|Cursor)\]\((\S+)\)/g)].map(([, link = '']) => new URL(link))
    const wanted = async (client: string) => {
      const { servers, mcpServers } = Object.assign({ servers: {}, mcpServers: {} }, parsed(await config(client)))
      return Object.entries({ ...servers, ...mcpServers })
    }
    expect([vscode?.origin, vscode?.pathname]).toEqual(['https://vscode.dev', '/redirect/mcp/install'])
    expect([[vscode?.searchParams.get('name'), parsed(vscode?.searchParams.get('config') ?? '')]]).toEqual(await wanted('vscode'))
    expect([cursor?.origin, cursor?.pathname]).toEqual(['https://cursor.com', '/en/install-mcp'])
    const decoded = parsed(Buffer.from(cursor?.searchParams.get('config') ?? '', 'base64').toString())
    expect([[cursor?.searchParams.get('name'), decoded]]).toEqual(await wanted('cursor'))
  })

  test('the README shows for every client what config prints', async () => {
    const blocks = [...readme().matchAll(/```(json|sh|toml)\n([^]*?)\n```/g)].map(([, language, text = '']) => same(language, text))
    const printed = await Promise.all(clients.map(async (client) => same(languageOf(client), await config(client))))
    expect(blocks).toEqual(printed)
  })

  test('config carries the options that it is given, to every client', async () => {
    const profile = app === 'event-pipeline' ? [] : ['--profile', 'work']
    const given = [...profile, '--embedded', '--tools', tools, '--read-only', '--data-dir', 'my data']
    const carried = ['--embedded', '--data-dir', path.resolve('my data'), ...profile, '--read-only', '--tools', tools]
    const args = ['-y', `@mcp-toolkits/${app}`, ...carried]
    for (const client of clients) {
      const text = await config(client, ...given)
      if (client === 'claude-code') expect(text.replaceAll("'", '').endsWith(` -- npx ${args.join(' ')}`)).toBe(true)
      else if (client === 'codex') expect(text).toContain(`args = ${JSON.stringify(args)}`)
      else expect(JSON.stringify(parsed(text))).toContain(`"args":${JSON.stringify(args)}`)
    }
    expect(await config('claude-code', '--data-dir', 'my data')).toContain(`--data-dir '${path.resolve('my data')}'`)
  })
})

function languageOf(client: string): string {
  return client === 'claude-code' ? 'sh' : client === 'codex' ? 'toml' : 'json'
}

/** JSON as data, since a page may break its lines elsewhere. */
function same(language: string | undefined, text: string): unknown {
  return language === 'json' ? parsed(text) : text
}

function parsed(json: string): unknown {
  return JSON.parse(json)
}

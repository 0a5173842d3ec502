import { chmodSync, chownSync, copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { baseEnvironment } from './command.ts'
import { readImage } from './image.ts'
import { apps, filesIn, member, readJson, root } from './packed.ts'

const tools = { 'event-pipeline': 7, 'file-storage': 11, 'issue-tracker': 36 } as const
const call = {
  'event-pipeline': ['EventPipelineApi_TrackUserEvent', { mode: 'execute', request_body: '{"userId":"u","event":"E"}' }],
  'file-storage': ['FileStorage_WhoAmI', {}],
  'issue-tracker': ['IssueTracker_WhoAmI', {}],
} as const

/** The user of the image; whoever is not root stays who they are. */
const nobody = 1000
const isRoot = process.getuid?.() === 0

describe.for(apps)('%s', (app) => {
  const image = readImage({ APP: app, VERSION: '1.2.3' })
  let directory = ''
  const at = (place: string) => path.join(directory, ...place.split('/'))

  /** The image’s files on a tree that nobody can write to, and its volume. */
  beforeAll(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'image-'))
    for (const [place, source] of image.files) {
      mkdirSync(path.dirname(at(place)), { recursive: true })
      copyFileSync(path.join(root, source), at(place))
      chmodSync(at(place), 0o444)
    }
    mkdirSync(at('/data'))
    if (isRoot) chownSync(at('/data'), nobody, nobody)
    for (const folder of [at('/app/dist'), at('/app'), directory]) chmodSync(folder, 0o555)
  })
  afterAll(() => {
    for (const folder of [directory, at('/app'), at('/app/dist'), at('/data')]) chmodSync(folder, 0o755)
    rmSync(directory, { recursive: true })
  })

  /** A client in front of the image’s entry point, as its user, where the root of the file system is the tree above. */
  async function started(...options: string[]) {
    const [, ...entry] = image.entrypoint
    const drop = `process.setgroups([]);process.setgid(${nobody});process.setuid(${nobody})`
    const become = isRoot ? [`--import=data:text/javascript,${drop}`] : []
    const { PATH = '' } = baseEnvironment()
    const own: Record<string, string> = {}
    for (const [name, value] of Object.entries(image.environment)) own[name] = value.startsWith('/') ? at(value) : value
    const client = new Client({ name: 'e2e', version: '1' })
    const transport = new StdioClientTransport({
      command: process.execPath,
      args: [...become, ...entry.map((word) => (word.startsWith('/') ? at(word) : word)), ...options],
      // Neither a home nor a directory for temporary files can be written either.
      env: { PATH, HOME: directory, TMPDIR: directory, ...own },
      stderr: 'ignore',
    })
    await client.connect(transport)
    return client
  }

  test('holds what the package holds, and nothing else of the workspace', () => {
    const built = filesIn(path.join(root, 'apps', app, 'dist')).filter((file) => !file.endsWith('.d.ts'))
    const expected = ['LICENSE', 'README.md', 'package.json', ...built.map((file) => `dist/${file}`)]
    expect([...image.files.keys()].sort()).toEqual(expected.map((file) => `/app/${file}`).sort())
  })

  test('runs on the pinned Node, without root, serves over stdio and keeps data in a volume', () => {
    const pinned = String(member(readJson(path.join(root, 'package.json'))['devDependencies'], 'node'))
    expect(image.base).toBe(`node:${pinned}-trixie-slim`)
    expect([image.user, image.volume, image.entrypoint]).toEqual(['1000:1000', '/data', ['node', '/app/dist/main.js']])
  })

  test('says what it is, and holds no secret', () => {
    expect(image.labels).toMatchObject({
      'org.opencontainers.image.title': `${app}-mcp`,
      'org.opencontainers.image.version': '1.2.3',
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.source': member(readJson(path.join(root, 'apps', app, 'server.json'))['repository'], 'url'),
      'io.modelcontextprotocol.server.name': readJson(path.join(root, 'apps', app, 'package.json'))['mcpName'],
    })
    expect(image.args).toEqual(['APP', 'APP', 'VERSION'])
    expect(Object.keys(image.environment).filter((name) => /key|token|secret|password|credential/i.test(name))).toEqual([])
  })

  test('starts as its user on a read-only tree, and refuses every call without an account', async () => {
    const client = await started()
    expect((await client.listTools()).tools.length).toBe(tools[app])
    const [name, given] = call[app]
    const { isError, content } = await client.callTool({ name, arguments: given })
    expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining('unauthenticated')])
    expect(JSON.stringify(content)).toContain('--embedded')
    await client.close()
  })

  test('serves the embedded default with --embedded, from its volume', async () => {
    const client = await started('--embedded')
    const [name, given] = call[app]
    const { isError, _meta } = await client.callTool({ name, arguments: given })
    expect([isError ?? false, _meta?.['mcp-toolkits/upstream']]).toEqual([false, 'embedded'])
    await client.close()
    expect(readdirSync(at('/data'))).toContain(app)
    expect(
      filesIn(at('/app'))
        .map((file) => `/app/${file}`)
        .sort(),
    ).toEqual([...image.files.keys()].sort())
  })

  test('starts where the volume cannot be written either', async () => {
    chmodSync(at('/data'), 0o500)
    if (isRoot) chownSync(at('/data'), 0, 0)
    const client = await started('--embedded')
    expect((await client.listTools()).tools.length).toBe(tools[app])
    const [name, given] = call[app]
    expect((await client.callTool({ name, arguments: given })).isError).toBe(true)
    await client.close()
  })
})

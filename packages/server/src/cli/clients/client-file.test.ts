import { chmod, link, lstat, mkdir, mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { writeMember } from './client-file.ts'
import { UsageError } from '../command.ts'

const key = 'canary-key'
const value = { command: 'acme', args: ['--fast'], env: { ACME_KEY: key } }
const member = { path: ['mcpServers', 'acme'], value, foreign: ['url'] }

let root = ''
let project = ''
let file = ''
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'client-file-'))
  project = path.join(root, 'clone')
  file = path.join(project, '.vscode', 'mcp.json')
  await mkdir(path.dirname(file), { recursive: true })
})
afterEach(async () => rm(root, { recursive: true, force: true }))

/** The text of every file below the folder; links are not followed. */
async function allFiles(): Promise<Record<string, string>> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => path.join(entry.parentPath, entry.name))
  return Object.fromEntries(
    await Promise.all(files.map(async (each) => [path.relative(root, each), await readFile(each, 'utf8')] as const)),
  )
}

describe('a file in the folder of a project', () => {
  it.each<[string, (victim: string) => Promise<string>]>([
    ['the file', async (victim) => symlink(victim, file).then(() => file)],
    ['the file, to nothing yet', async () => symlink(path.join(root, 'new'), file).then(() => file)],
    ['the file, to a tracked file of the project', async () => symlink('../site.json', file).then(() => file)],
    [
      'a folder on the way',
      async (victim) => {
        await rm(path.dirname(file), { recursive: true })
        await symlink(path.dirname(victim), path.dirname(file))
        return path.dirname(file)
      },
    ],
  ])('is not written through a link: %s', async (_, plant) => {
    const home = path.join(root, 'home')
    await mkdir(home)
    for (const each of [path.join(home, 'mcp.json'), path.join(project, 'site.json')]) await writeFile(each, '{}')
    const place = await plant(path.join(home, 'mcp.json'))
    const before = await allFiles()
    const failure: unknown = await writeMember(file, member, project).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UsageError)
    expect(String(failure)).toContain(`${place} is a link to ${root}`)
    expect(await allFiles()).toEqual(before)
  })

  it('is written while links wait under the name that a temporary file could have', async () => {
    const victim = path.join(root, 'bashrc')
    await writeFile(victim, 'mine')
    for (const name of [`mcp.json.${process.pid}.tmp`, 'mcp.json.tmp']) await symlink(victim, path.join(path.dirname(file), name))
    await writeMember(file, member, project)
    const { 'clone/.vscode/mcp.json': written = '', ...others } = await allFiles()
    expect(JSON.parse(written)).toEqual({ mcpServers: { acme: value } })
    expect(others).toEqual({ bashrc: 'mine' })
    expect((await lstat(file)).isFile()).toBe(true)
  })

  it('leaves the other names of a hard link as they are', async () => {
    const victim = path.join(root, 'settings')
    await writeFile(victim, '{}')
    await link(victim, file)
    await writeMember(file, member, project)
    expect(await readFile(victim, 'utf8')).toBe('{}')
  })
})

describe('a file of the person', () => {
  it('is written through a link, which the result names', async () => {
    const dotfile = path.join(root, 'dotfile.json')
    await writeFile(dotfile, '{}', { mode: 0o640 })
    await symlink(dotfile, file)
    expect(await writeMember(file, member)).toEqual({ target: dotfile, mode: 0o640, others: 0, updated: false })
    expect(await readFile(dotfile, 'utf8')).toContain(key)
    expect((await lstat(file)).isSymbolicLink()).toBe(true)
  })

  it.each(['{}', '{\r\n  "theme": "dark"\r\n}\r\n'])('keeps the byte order mark and the line endings of %j', async (before) => {
    await writeFile(file, `\uFEFF${before}`)
    await writeMember(file, member)
    const after = await readFile(file, 'utf8')
    expect(JSON.parse(after.slice(1))).toMatchObject({ mcpServers: { acme: value } })
    expect([after.startsWith('\uFEFF'), /[^\r]\n./.test(after)]).toEqual([true, !before.includes('\r')])
  })

  const deep = 5_000
  it.each<[string | Buffer, string]>([
    ['{ "mcpServers": [] }', 'has "mcpServers", which is not an object'],
    ['{ "mcpServers": "none" }', 'has "mcpServers", which is not an object'],
    ['{ "mcpServers": null }', 'has "mcpServers", which is not an object'],
    ['{ "mcpServers": {}, "mcpServers": {} }', 'has "mcpServers.acme" twice'],
    ['{ "mcpServers": { "acme": {}, "acme": { "url": "https://acme.example" } } }', 'has "mcpServers.acme" twice'],
    [`{ "mcpServers": ${'['.repeat(deep)}${']'.repeat(deep)} }`, 'left as it is'],
    [`${'{ "mcpServers": '.repeat(deep)}1${'}'.repeat(deep)}`, 'left as it is'],
    ['{ "mcpServers": ', 'is not a JSON object'],
    [Buffer.from('{ "name": "caf\u00E9" }', 'latin1'), 'is not UTF-8 text'],
    [Buffer.from('\uFEFF{}', 'utf16le'), 'is not UTF-8 text'],
  ])('is left as it is, with the reason, when it cannot be changed: %.60s', async (before, reason) => {
    await writeFile(file, before)
    const failure: unknown = await writeMember(file, member).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(UsageError)
    expect(String(failure)).toContain(reason)
    expect(await readFile(file)).toEqual(Buffer.from(before))
  })

  it('is left as it is when it is read-only, a link to nothing or a folder', async () => {
    await writeFile(file, '{}')
    await chmod(file, 0o444)
    await expect(writeMember(file, member)).rejects.toThrow('is read-only')
    await rm(file)
    await symlink(path.join(root, 'nothing'), file)
    await expect(writeMember(file, member)).rejects.toThrow('is a link to nothing')
    await rm(file)
    await mkdir(file)
    await expect(writeMember(file, member)).rejects.toThrow('is not a file')
    expect((await stat(file)).isDirectory()).toBe(true)
    expect(Object.keys(await allFiles())).toEqual([])
  })
})

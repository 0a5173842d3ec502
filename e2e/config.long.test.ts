import { chmod, mkdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { program, run, temporaryDirectory } from './command.ts'

const entry = { command: process.execPath, args: [program] }

/** An empty home directory, except for the client's file. */
async function homeWith(content?: string) {
  const home = await temporaryDirectory()
  const file = path.join(home, '.cursor', 'mcp.json')
  if (content !== undefined) {
    await mkdir(path.dirname(file))
    await writeFile(file, content)
  }
  const config = (args: readonly string[], environment: Readonly<Record<string, string>> = {}) =>
    run(['config', 'cursor', ...args], { environment: { ...environment, HOME: home } })
  return { home, file, config, written: () => readFile(file, 'utf8') }
}

describe('config', () => {
  test('names the variables that are given, with the value that one has here', async () => {
    const { config } = await homeWith()
    const { code, output } = await config(['EVENT_PIPELINE_REGION=eu', 'EVENT_PIPELINE_API_KEY'], { EVENT_PIPELINE_API_KEY: 'k=1 2' })
    const env = { EVENT_PIPELINE_REGION: 'eu', EVENT_PIPELINE_API_KEY: 'k=1 2' }
    expect([code, JSON.parse(output)]).toEqual([0, { mcpServers: { events: { ...entry, env } } }])
  })

  test('says that a line for a shell holds the value of a variable, which the history of the shell then has', async () => {
    const { output, errors } = await run(['config', 'claude-code', 'EVENT_PIPELINE_API_KEY'], {
      environment: { EVENT_PIPELINE_API_KEY: 'canary-key' },
    })
    expect(output).toContain('--env EVENT_PIPELINE_API_KEY=canary-key')
    expect(errors).toContain("The line contains the value of EVENT_PIPELINE_API_KEY, and stays in your shell's history")
    expect(errors).not.toContain('canary-key')
    expect((await run(['config', 'claude-code'])).errors).not.toContain('history')
  })

  test('connects to a server that runs elsewhere', async () => {
    const { config } = await homeWith()
    const { output, errors } = await config(['https://events.example.com/mcp'])
    expect(JSON.parse(output)).toEqual({ mcpServers: { events: { url: 'https://events.example.com/mcp' } } })
    expect(errors).toBe('Put this into ~/.cursor/mcp.json.\n')
  })

  test.each([
    [['EVENT_PIPELINE_API_KEY'], 'EVENT_PIPELINE_API_KEY is not set here.'],
    [['not a variable'], 'neither a variable'],
    [['EVENT_PIPELINE_APIKEY=k'], 'Unknown variable EVENT_PIPELINE_APIKEY: did you mean EVENT_PIPELINE_API_KEY?'],
    [['https://events.example.com/mcp', 'A=1'], 'give only its URL'],
    [['https://events.example.com/mcp', '--read-only'], 'give only its URL'],
  ])('refuses %j', async (args, problem) => {
    const { config } = await homeWith()
    const { code, output, errors } = await config(args)
    expect([code, output]).toEqual([2, ''])
    expect(errors).toContain(problem)
  })

  test('refuses to write what is not one file of JSON, and a URL that the client would not read', async () => {
    const codex = await run(['config', 'codex', '--write'])
    expect([codex.code, codex.output]).toEqual([2, ''])
    expect(codex.errors).toContain('it goes into ~/.codex/config.toml')
    const desktop = await run(['config', 'claude-desktop', 'https://events.example.com/mcp'])
    expect(desktop.errors).toContain('Claude Desktop does not read URLs')
  })
})

describe('config --write', () => {
  test('makes a file that only this user can read', async () => {
    const { file, config, written } = await homeWith()
    const { code, output, errors } = await config(['--write', '--read-only', 'EVENT_PIPELINE_API_KEY=canary-key'])
    expect([code, output]).toEqual([0, ''])
    expect(errors).toContain(`Added "events" to ${file}.`)
    expect(errors).not.toContain('canary-key')
    const env = { EVENT_PIPELINE_API_KEY: 'canary-key' }
    expect(JSON.parse(await written())).toEqual({ mcpServers: { events: { ...entry, args: [program, '--read-only'], env } } })
    expect(errors).not.toContain('The file now contains')
    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect((await stat(path.dirname(file))).mode & 0o777).toBe(0o700)
  })

  test('says that others can read the value of a variable, and how to change that', async () => {
    const { file, config } = await homeWith('{}')
    await chmod(file, 0o640)
    expect((await config(['--write'])).errors).not.toContain('The file now contains')
    const { code, errors } = await config(['--write', 'EVENT_PIPELINE_API_KEY=canary-key', 'EVENT_PIPELINE_REGION=eu'])
    expect(code).toBe(0)
    expect(errors).toContain('The file now contains the values of EVENT_PIPELINE_API_KEY and EVENT_PIPELINE_REGION.')
    expect(errors).toContain(`\`chmod 600 ${file}\``)
    expect(errors).not.toMatch(/canary-key|version control/)
    await chmod(file, 0o600)
    expect((await config(['--write', 'EVENT_PIPELINE_API_KEY=canary-key'])).errors).not.toContain('The file now contains')
  })

  test.each([
    ['vscode', '.vscode/mcp.json'],
    ['continue', '.continue/mcpServers/mcp.json'],
    ['opencode', 'opencode.json'],
  ])('says for %s that the folder of a project holds the value of a variable', async (client, file) => {
    const directory = await temporaryDirectory()
    const config = (...args: readonly string[]) => run(['config', client, '--write', ...args], { directory })
    expect((await config()).errors).not.toContain('The file now contains')
    const { code, errors } = await config('EVENT_PIPELINE_API_KEY=canary-key')
    expect([code, await readFile(path.join(directory, file), 'utf8')]).toEqual([0, expect.stringContaining('canary-key')])
    expect(errors).toContain(
      "The file now contains the value of EVENT_PIPELINE_API_KEY. It is in a project's folder: keep it out of version control.",
    )
    expect(errors).not.toMatch(/canary-key|chmod/)
  })

  test('run by npm, writes into the folder of the person, and not into the clone', async () => {
    const [clone, project] = [await temporaryDirectory(), await temporaryDirectory()]
    const write = (directory: string) =>
      run(['config', 'vscode', '--write'], {
        directory: clone,
        environment: { npm_lifecycle_event: 'event-pipeline', INIT_CWD: directory },
      })
    const done = await write(project)
    expect([done.code, done.errors]).toEqual([
      0,
      expect.stringContaining(`Added "events" to ${path.join(project, '.vscode', 'mcp.json')}.`),
    ])
    for (const place of [clone, path.join(clone, 'docs')]) {
      const { code, errors } = await write(place)
      expect([code, errors]).toEqual([2, expect.stringContaining(`npm --prefix ${clone} run -s event-pipeline -- config vscode --write.`)])
    }
    await expect(stat(path.join(clone, '.vscode'))).rejects.toThrow('ENOENT')
  })

  test('follows no link in the folder of a project', async () => {
    const [project, home] = [await temporaryDirectory(), await temporaryDirectory()]
    await writeFile(path.join(home, 'site.json'), '{}')
    await mkdir(path.join(project, '.vscode'))
    await symlink(path.join(home, 'site.json'), path.join(project, '.vscode', 'mcp.json'))
    const { code, errors } = await run(['config', 'vscode', '--write', 'EVENT_PIPELINE_API_KEY=canary-key'], { directory: project })
    expect([code, errors]).toEqual([2, expect.stringContaining(`is a link to ${path.join(home, 'site.json')}`)])
    expect(await readFile(path.join(home, 'site.json'), 'utf8')).toBe('{}')
  })

  test('leaves everything else as it is', async () => {
    const before = '{\n  // mine\n  "theme": "dark",\n  "mcpServers": {\n    "other": { "command": "other" }, // keep\n  },\n}\n'
    const { file, config, written } = await homeWith(before)
    await chmod(file, 0o640)
    const { errors } = await config(['--write'])
    expect(errors).toContain('beside 1 other server')
    const after = await written()
    for (const line of ['  // mine', '  "theme": "dark",', '"command": "other"', '// keep']) expect(after).toContain(line)
    expect(after).toContain(JSON.stringify(entry.command))
    expect((await stat(file)).mode & 0o777).toBe(0o640)
    expect((await config(['--write'])).errors).toContain('Updated "events"')
    expect(await written()).toBe(after)
  })

  test('merges into what a person changed by hand', async () => {
    const { file, config, written } = await homeWith()
    await config(['--write', 'EVENT_PIPELINE_API_KEY=k-1', 'EVENT_PIPELINE_REGION=eu'])
    const changed = (await written())
      .replace('"EVENT_PIPELINE_REGION"', '"HTTPS_PROXY": "http://proxy:1", // ours\n        "EVENT_PIPELINE_REGION"')
      .replace('"args": [', '"disabled": true,\n      "args": [')
      .replace(JSON.stringify(program), `${JSON.stringify(program)}, "--read-only"`)
    await writeFile(file, changed)
    const { errors } = await config(['--write', 'EVENT_PIPELINE_API_KEY=k-2'])
    expect(errors).toContain('Updated "events"')
    expect(await written()).toBe(changed.replace('k-1', 'k-2'))
    await config(['--write', '--tools', 'AddToGroup'])
    expect(await written()).toContain('// ours')
    expect(await written()).toContain('AddToGroup')
    expect(await written()).not.toContain('--read-only')
  })

  test('leaves nothing of a command behind when the server runs elsewhere, and the other way round', async () => {
    const { config, written } = await homeWith()
    await config(['--write', 'EVENT_PIPELINE_REGION=eu'])
    await config(['--write', 'https://events.example.com/mcp'])
    expect(JSON.parse(await written())).toEqual({ mcpServers: { events: { url: 'https://events.example.com/mcp' } } })
    await config(['--write'])
    expect(JSON.parse(await written())).toEqual({ mcpServers: { events: entry } })
  })

  test('writes through a link', async () => {
    const { home, file, config } = await homeWith()
    const dotfile = path.join(home, 'dotfiles.json')
    await writeFile(dotfile, '')
    await mkdir(path.dirname(file))
    await symlink(dotfile, file)
    expect((await config(['--write'])).errors).toContain(`to ${file}, which leads to ${dotfile}.`)
    expect(JSON.parse(await readFile(dotfile, 'utf8'))).toEqual({ mcpServers: { events: entry } })
  })

  test.each(['{ "mcpServers": ', '[]', '"text"'])('leaves %s as it is', async (before) => {
    const { config, written } = await homeWith(before)
    const { code, errors } = await config(['--write'])
    expect(code).toBe(2)
    expect(errors).toContain('was left as it is')
    expect(await written()).toBe(before)
  })
})

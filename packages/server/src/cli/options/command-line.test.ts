import path from 'node:path'
import { expect, it } from 'vitest'
import { acme, fileOption } from '../../../test/acme.ts'
import type { Extended } from '../../mcp/extension.ts'
import type { OptionType } from './option.ts'
import { options } from './option-table.ts'
import { UsageError } from '../command.ts'
import { readCommandLine } from './command-line.ts'
import { commandOptions } from './command-options.ts'
import { usages } from './usages.ts'

const home = { HOME: path.join(path.sep, 'home', 'ada') }
const directoryOf = async (args: readonly string[], environment: Readonly<Record<string, string>> = {}) => {
  const { dataDirectory, dataDirectoryIsChosen } = (await readCommandLine(args, { ...home, ...environment })).settings
  return [dataDirectory, dataDirectoryIsChosen]
}

const books: OptionType<number> = { ...options.port.kind, text: 'a number of books' }

/** A server with an option for every command, and a file option for `call`. */
const shelf: Extended = {
  extensions: [
    {
      options: { load: { name: 'load', kind: books, variable: 'SHELF_LOAD', isGeneral: true, help: 'how much it carries' } },
      fileOption: fileOption('output'),
    },
  ],
}

it('treats an empty variable as unset, and never as the working directory', async () => {
  const byItself = await directoryOf([])
  expect(byItself).toEqual([expect.stringContaining('mcp-toolkits'), false])
  expect(await directoryOf([], { MCP_TOOLKITS_DATA_DIR: '', MCP_TOOLKITS_PROFILE: '' })).toEqual(byItself)
  expect(await readCommandLine([], { ...home, MCP_TOOLKITS_PROFILE: '' })).not.toHaveProperty('settings.profile')
})

it('names the wrong variable in the error, and ignores an empty one', async () => {
  const { settings, logLevel } = await readCommandLine([], { ...home, MCP_TOOLKITS_TOOL_NAMES: '', MCP_TOOLKITS_LOG_LEVEL: '' })
  expect([settings.toolNames, logLevel]).toEqual(['safe', 'info'])
  const wrong = readCommandLine([], { ...home, MCP_TOOLKITS_TOOL_NAMES: 'dotted' })
  await expect(wrong).rejects.toThrow('MCP_TOOLKITS_TOOL_NAMES must be one of safe, canonical, not "dotted"')
  await expect(readCommandLine(['--log-level', 'loud'], home)).rejects.toThrow('--log-level must be one of')
})

it.each([
  [['--data-dir', ''], {}, '--data-dir must be the path of a directory'],
  [['--data-dir', '  '], {}, '--data-dir must be the path of a directory'],
  [[], { MCP_TOOLKITS_DATA_DIR: ' ' }, 'MCP_TOOLKITS_DATA_DIR must be the path of a directory'],
  [[], { MCP_TOOLKITS_DATA_DIR: '${user_config.data_dir}' }, 'MCP_TOOLKITS_DATA_DIR must be the path of a directory'],
  [[], { MCP_TOOLKITS_DATA_DIR: '${HOME}/data' }, 'not "${HOME}/data"'],
] as const)('refuses %j with %j', async (args, environment, said) => {
  await expect(directoryOf(args, environment)).rejects.toThrow(said)
})

it.each([
  [['--tools', ''], {}, '--tools must be comma-separated names of tools, not "".'],
  [['--tools', ' , '], {}, '--tools must be comma-separated names of tools'],
  [[], { MCP_TOOLKITS_TOOLS: ',' }, 'MCP_TOOLKITS_TOOLS must be comma-separated names of tools'],
] as const)('refuses an empty list of tools: %j with %j', async (args, environment, said) => {
  await expect(readCommandLine(args, { ...home, ...environment })).rejects.toThrow(said)
})

it('sets the variable of an option of an extension, and refuses a value of neither', async () => {
  const loadOf = async (args: readonly string[], load: string) =>
    (await readCommandLine(args, { ...home, SHELF_LOAD: load }, shelf)).settings.environment['SHELF_LOAD']
  expect(await loadOf(['--load', '5'], '7')).toBe('5')
  expect(await loadOf([], '7')).toBe('7')
  expect(await loadOf([], '')).toBe('')
  await expect(loadOf([], 'much')).rejects.toThrow('SHELF_LOAD must be a number of books, not "much"')
  await expect(loadOf(['--load', 'much'], '')).rejects.toThrow('--load must be a number of books, not "much"')
  await expect(readCommandLine(['--load', '5'], home)).rejects.toThrow('There is no option "--load".')
})

it('reads how long questions may wait from the option, or else from its variable', async () => {
  const secondsOf = async (args: readonly string[], seconds: string) =>
    (await readCommandLine(args, { ...home, MCP_TOOLKITS_QUESTION_SECONDS: seconds })).settings.questionSeconds
  expect(await secondsOf(['--question-seconds', '90'], '0')).toBe(90)
  expect(await secondsOf([], '0')).toBe(0)
  expect(await secondsOf([], '')).toBeUndefined()
  await expect(secondsOf([], 'never')).rejects.toThrow('MCP_TOOLKITS_QUESTION_SECONDS must be a number of seconds from 0 to 3600')
})

it('prefers the tools of the command line to those of the variable', async () => {
  const toolsOf = async (args: readonly string[], names: string) =>
    (await readCommandLine(args, { ...home, MCP_TOOLKITS_TOOLS: names })).settings.tools
  expect(await toolsOf(['--tools', 'A, B,'], 'C')).toEqual(['A', 'B'])
  expect(await toolsOf([], 'C')).toEqual(['C'])
  expect(await toolsOf([], '')).toBeUndefined()
})

it('makes the data directory absolute, for commands that are run elsewhere', async () => {
  const full = path.resolve('some', 'data')
  expect(await directoryOf(['--data-dir', path.join('some', 'data')])).toEqual([full, true])
  expect(await directoryOf([], { MCP_TOOLKITS_DATA_DIR: path.join('some', 'data') })).toEqual([full, true])
  expect(await directoryOf(['--data-dir', full], { MCP_TOOLKITS_DATA_DIR: 'other' })).toEqual([full, true])
})

it.each([
  ['drive.file,drive.readonly', ['drive.file', 'drive.readonly']],
  ['drive.file drive.readonly', ['drive.file', 'drive.readonly']],
  [' read, issues:create ,', ['read', 'issues:create']],
  ['https://www.googleapis.com/auth/drive', ['https://www.googleapis.com/auth/drive']],
])('reads the scopes %j', async (text, scopes) => {
  expect((await readCommandLine(['login', '--scopes', text], home)).scopes).toEqual(scopes)
})

it.each(['"read"', 'read\\write', 'lesen,schreíben', 'a\u0000'])('refuses the scopes %j', async (text) => {
  await expect(readCommandLine(['login', '--scopes', text], home)).rejects.toThrow('--scopes must be comma-separated names')
})

it.each([
  ['Tracker.Example.com, tracker.example.com:8443', ['tracker.example.com', 'tracker.example.com']],
  ['bücher.example', ['xn--bcher-kva.example']],
  ['::1, FD00::5, [fd00::5]:8443', ['[::1]', '[fd00::5]', '[fd00::5]']],
  ['', []],
])('reads the hosts %j', async (text, hosts) => {
  expect((await readCommandLine(['http', '--allowed-hosts', text], home)).allowedHosts).toEqual(hosts)
})

it.each(['https://a.example', 'a.example/mcp', 'ada@a.example', 'a.example:99999', '*.example', 'a.example?b', '1:2:3'])(
  'refuses the host %j',
  async (text) => {
    const said = `--allowed-hosts must be comma-separated host names, such as tracker.example.com, not "${text}".`
    await expect(readCommandLine(['http', '--allowed-hosts', text], home)).rejects.toThrow(new UsageError(said))
  },
)

it.each([
  [['call', '--idempotency_key', 'k', 'Get'], 'There is no option "--idempotency_key". Did you mean --idempotency-key?'],
  [['http', '--allowed-host=a.example'], 'There is no option "--allowed-host". Did you mean --allowed-hosts?'],
  [['http', '--quux'], 'There is no option "--quux".'],
  [['-x'], 'There is no option "-x".'],
  [['http', '--store'], '--store needs a value.'],
  [['http', '--store', '--check'], '--store needs a value. One that begins with a dash is written as --store=VALUE.'],
  [['http', '--check=yes'], '--check takes no value.'],
])('says what is wrong with the options of %j', async (args, said) => {
  await expect(readCommandLine(args, home)).rejects.toThrow(new UsageError(said))
})

it.each([
  [
    ['Get', '--title', 'A b', '--json', '--output', 'f', '{}'],
    ['call', 'Get'],
    ['--title', 'A b', '{}'],
  ],
  [
    ['--embedded', 'Get', '--port', '1', '--data-dir=d'],
    ['call', 'Get'],
    ['--port', '1'],
  ],
  [
    ['Get', '--no-flag', '--', '--json'],
    ['call', 'Get'],
    ['--no-flag', '--', '--json'],
  ],
  [['Get', '--'], ['call', 'Get'], ['--']],
])('leaves what follows the tool in call %j to the tool, but for the options of call', async (args, command, forTool) => {
  const line = await readCommandLine(['call', ...args], home, shelf)
  expect([[line.command, ...line.operands], line.forTool]).toEqual([command, forTool])
})

it('reads the options of call behind the tool', async () => {
  const line = await readCommandLine(['call', 'Get', '--title', 'x', '--json', '--output', 'f', '--data-dir=d', '-h'], home, shelf)
  expect(line).toMatchObject({ json: true, files: new Map([['output', 'f']]), help: true, settings: { dataDirectory: path.resolve('d') } })
})

it('shows in the usage of each command exactly the options that go with it', () => {
  const definition = { name: 'acme', account: acme }
  const keysOf = new Map<string, readonly (keyof typeof options)[]>(Object.entries(commandOptions))
  for (const [name, usage] of Object.entries(usages)) {
    const shown = usage(definition).flatMap(([usage]) => [...usage.matchAll(/--([a-z-]+)/g)].map(([, option]) => option))
    // A command with several usages may show an option in each.
    expect([...new Set(shown)], name).toEqual(keysOf.get(name)?.map((key) => options[key].name))
  }
})

it('takes an owner that begins with a hyphen', async () => {
  const owner = `-${'h4Y3WJ'.repeat(7)}`
  const line = await readCommandLine(['people', 'forget', owner, '--issuer', 'https://id.example.com'], home)
  expect(line).toMatchObject({ command: 'people', operands: ['forget', owner], issuer: 'https://id.example.com' })
  await expect(readCommandLine(['status', owner], home)).rejects.toThrow('There is no option')
})

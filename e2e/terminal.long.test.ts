import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { run as runPiped, runNode, temporaryDirectory } from './command.ts'
import { baseEnvironment } from '../packages/testing/src/processes/process.ts'

const mainOf = (server: string) => path.join(import.meta.dirname, '..', 'apps', server, 'dist', 'main.js')
const tracker = mainOf('issue-tracker')
const data = temporaryDirectory()

interface Terminal {
  readonly server?: string
  /** Typed before the command, to pipe something into it. */
  readonly before?: string
  readonly columns?: number
  /** Typed while it runs. */
  readonly keys?: string
  readonly variables?: Readonly<Record<string, string>>
}

/** Runs a server on its embedded default in a pseudo-terminal, as a person does; issue-tracker unless another is named. */
async function atTerminal(args: readonly string[], { server = 'issue-tracker', before = '', ...terminal }: Terminal = {}) {
  const words = [process.execPath, mainOf(server), ...args]
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  return typed(before + quoted, terminal)
}

/** Runs a shell command line in a pseudo-terminal. */
async function typed(line: string, { columns = 100, keys = '', variables = {} }: Omit<Terminal, 'server' | 'before'> = {}) {
  const embedded = { MCP_TOOLKITS_EMBEDDED: '1', MCP_TOOLKITS_DATA_DIR: await data }
  const env = { ...baseEnvironment(), ...embedded, TERM: 'xterm-256color', ...variables }
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 40; ${line}`, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  child.stdin.write(keys)
  const shown = (await text(child.stdout)).replaceAll('\r\n', '\n')
  return { shown, plain: stripVTControlCharacters(shown) }
}

// `script` of util-linux gives a command a pseudo-terminal.
describe.skipIf(process.platform !== 'linux')('at a terminal', () => {
  test('a list is a table in colour, as wide as the terminal, with the call for more', async () => {
    const { shown, plain } = await atTerminal(['call', 'ListIssues', '--team', 'ENG', '--limit', '3'])
    const [heading = '', columns = '', ...rows] = plain.split('\n')
    expect([heading, columns]).toEqual(['issues', expect.stringMatching(/^ {2}identifier +title +state/)])
    for (const row of rows.slice(0, 3)) expect(row).toMatch(/^ {2}ENG-\d+ /)
    expect(shown).toContain('\u001B[1m')
    expect(Math.max(...[columns, ...rows.slice(0, 3)].map((line) => line.length))).toBeLessThanOrEqual(100)
    expect(plain).toMatch(/^More: node .* call ListIssues --team ENG --limit 3 --end-cursor \S+$/m)
  })

  test('a narrow terminal gets fewer columns, and a line that says how to see the others', async () => {
    const { plain } = await atTerminal(['call', 'ListIssues', '--limit', '3'], { columns: 60 })
    const lines = plain.split('\n').filter((line) => !line.startsWith('More: '))
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60)
    expect(plain).toMatch(/\(\d more columns?: --json shows everything\)/)
  })

  test('one record is shown by names and values', async () => {
    const { plain } = await atTerminal(['call', 'CreateIssue', '--team', 'ENG', '--title', 'Für 山田 🏔'])
    expect(plain).toMatch(/^issue\n {2}identifier +ENG-\d+\n {2}title +Für 山田 🏔\n/m)
    expect(plain).toContain('embedded: nothing left this machine')
  })

  test('an error is shown with its suggestions and what to type next', async () => {
    const { plain } = await atTerminal(['call', 'CreateIssue', '--team', 'Enginering', '--title', "It's new"])
    expect(plain).toContain('Error (not_found): No team matches "Enginering".')
    const [, next = ''] = /^Next: .*main\.js (call .*)$/m.exec(plain) ?? []
    expect(next).toBe(`call CreateIssue --team Engineering --title 'It'\\''s new'`)
  })

  test('what to type next does what is meant, also after arguments that were piped in', async () => {
    const request = `{"batch":[{"type":"track","userId":"ada@example.com","event":"Order Completed"}]}`
    const events = { server: 'event-pipeline', before: `echo '${request}' | ` }
    const { plain } = await atTerminal(['call', 'SendBatchRequests', '--log-level', 'error'], events)
    const [, next = ''] = /^Next: (.*)$/m.exec(plain) ?? []
    expect(next).toMatch(/^node .* call SendBatchRequests .*--mode execute/)
    expect(next).toMatch(/ --log-level error$/)
    expect((await typed(next)).plain).toMatch(/^outcome +delivered$/m)
  })

  test('the line of progress leaves no trace beside the result', async () => {
    const { shown } = await atTerminal(['call', 'GetFileTreeStructure'], { server: 'file-storage' })
    expect(shown).toContain('items listed\r\u001B[K\u001B[1mdrives')
  })

  test('a file that is text is printed with --output -, and other bytes are not', async () => {
    const files = { server: 'file-storage' }
    const downloading = (file: string) => ['call', 'DownloadFile', '--file-path-or-id', file, '--output', '-']
    const review = downloading('Trails launch/Reliability/Sync outage review.md')
    const { plain } = await atTerminal(review, files)
    expect(plain).toMatch(/^# /m)
    expect(plain).not.toContain('md5_checksum')
    const refused = await atTerminal(downloading('Team/Whiteboard after the outage.png'), files)
    expect(refused.plain).toContain('a terminal cannot show it')
    const both = await atTerminal([...review, '--json'], files)
    expect(both.plain).toContain('--output - prints the content, so it does not go with --json.')
  })

  test('escapes in the data never reach the terminal as escapes', async () => {
    const { shown, plain } = await atTerminal([
      'call',
      'CreateIssue',
      JSON.stringify({ team: 'ENG', title: 'x', description: 'a\u001B[31mred\u009B2J\u202E' }),
    ])
    const [, identifier = ''] = /identifier +(\S+)/.exec(plain) ?? []
    const { shown: again } = await atTerminal(['call', 'GetIssue', '--issue-id', identifier])
    expect(again).toContain('a\\u{1B}[31mred\\u{9B}2J\\u{202E}')
    const invisible = ['\u001B', '\u009B', '\u202E']
    for (const each of [shown, again])
      expect(invisible.filter((character) => stripVTControlCharacters(each).includes(character))).toEqual([])
    expect(again).not.toContain('\u001B[31m')
  })

  test.each([
    ['NO_COLOR', '1'],
    ['TERM', 'dumb'],
  ])('%s=%s leaves the colours out', async (name, value) => {
    const { shown } = await atTerminal(['call', 'ListTeams'], { variables: { [name]: value } })
    expect(shown).toContain('Engineering')
    expect(shown).not.toContain('\u001B')
  })

  test('a server that was started by hand says what it waits for', async () => {
    const { plain } = await atTerminal([], { keys: '\u0004' })
    expect(plain).toMatch(
      /^This command is waiting for an MCP client\. Press Ctrl-C to stop it; `node .* --help` lists the other commands\.$/m,
    )
  })

  test('--json prints JSON also here', async () => {
    const { shown } = await atTerminal(['call', 'ListTeams', '--limit', '1', '--json'])
    expect(JSON.parse(shown)).toMatchObject({ teams: [expect.anything()] })
  })
})

test('a program gets JSON, whatever the variables say', async () => {
  const environment = { MCP_TOOLKITS_EMBEDDED: '1', MCP_TOOLKITS_DATA_DIR: await data, FORCE_COLOR: '1' }
  const { output } = await runNode([tracker, 'call', 'ListTeams'], { environment })
  expect(JSON.parse(output)).toHaveProperty('teams')
  expect((await runPiped(['tools'], { environment })).output).not.toContain('\u001B')
})

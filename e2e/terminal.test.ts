import { spawn } from 'node:child_process'
import path from 'node:path'
import { text } from 'node:stream/consumers'
import { stripVTControlCharacters } from 'node:util'
import { describe, expect, test } from 'vitest'
import { run as runPiped, runNode, temporaryDirectory } from './command.ts'
import { baseEnvironment } from './process.ts'

const tracker = path.join(import.meta.dirname, '..', 'apps', 'issue-tracker', 'dist', 'main.js')
const data = temporaryDirectory()

interface Terminal {
  readonly columns?: number
  readonly variables?: Readonly<Record<string, string>>
}

/** Runs issue-tracker on its embedded default at a pseudo-terminal, as a person does. */
async function atTerminal(args: readonly string[], { columns = 100, variables = {} }: Terminal = {}) {
  const words = [process.execPath, tracker, ...args, '--embedded', '--data-dir', await data]
  const quoted = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ')
  const env = { ...baseEnvironment(), TERM: 'xterm-256color', ...variables }
  const child = spawn('script', ['-qec', `stty cols ${columns} rows 40; ${quoted}`, '/dev/null'], {
    env,
    stdio: ['pipe', 'pipe', 'inherit'],
  })
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

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { describe, expect, test } from 'vitest'
import { runNode } from './command.ts'
import { baseEnvironment } from '../packages/testing/src/processes/process.ts'

const tracker = path.join(import.meta.dirname, '..', 'apps', 'issue-tracker', 'dist', 'main.js')

/** Commands that make each shell complete a line and print the candidates, one in a line. */
const completers = {
  bash: (script: string, words: readonly string[]) => `${script}
    COMP_WORDS=(issue-tracker-mcp ${words.map(quote).join(' ')}); COMP_CWORD=${words.length}
    _issue_tracker_mcp; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // `compadd` works in a widget only, so a function replaces it that prints its arguments.
  zsh: (script: string, words: readonly string[]) => `autoload -Uz compinit; compinit -u -D; ${script}
    compadd() { print -rl -- $values }; _files() { print files }
    words=(issue-tracker-mcp ${words.map(quote).join(' ')}); CURRENT=${words.length + 1}; _issue_tracker_mcp`,
  fish: (script: string, words: readonly string[]) => `${script}
    complete -C ${quote(['issue-tracker-mcp', ...words].join(' '))} | string split -f1 \\t`,
}

const quote = (word: string) => `'${word}'`

describe.each(['bash', 'zsh', 'fish'] as const)('%s', (shell) => {
  const isMissing = spawnSync(shell, ['-c', 'true']).status !== 0

  /** Candidates of the shell for a command line with an incomplete last word. */
  async function complete(...words: readonly string[]) {
    const { code, output } = await runNode([tracker, 'completion', shell])
    expect(code).toBe(0)
    const options = shell === 'zsh' ? ['-f', '-c'] : shell === 'fish' ? ['--no-config', '-c'] : ['--norc', '-c']
    const { stdout, stderr } = spawnSync(shell, [...options, completers[shell](output, words)], {
      env: baseEnvironment(),
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    return stdout.trim().split('\n').sort()
  }

  test.skipIf(isMissing)('completes commands and their words', async () => {
    expect(await complete('st')).toEqual(['status'])
    expect(await complete('config', 'claude')).toEqual(['claude-code', 'claude-desktop'])
    expect(await complete('vault', '')).toEqual(expect.arrayContaining(['check', 'rotate']))
  })

  test.skipIf(isMissing)('completes options, and the values of those that have few', async () => {
    expect(await complete('status', '--js')).toEqual(['--json'])
    expect(await complete('--log-level', 'de')).toEqual(['debug'])
    expect(await complete('tools', '--tool-names', '')).toEqual(expect.arrayContaining(['safe', 'canonical']))
  })

  test.skipIf(isMissing)('completes the names of tools, their flags and values', async () => {
    expect(await complete('call', 'CreateIssue')).toEqual(['CreateIssue', 'CreateIssueRelation'])
    expect(await complete('--read-only', 'call', 'Create')).not.toContain('CreateIssue')
    expect(await complete('call', 'CreateIssue', '--team', 'ENG', '--pri')).toEqual(['--priority'])
    expect(await complete('call', 'CreateIssue', '--priority', 'h')).toEqual(['high'])
    expect(await complete('call', 'CreateIssue', '--no-a')).toEqual(['--no-auto-accept-matches'])
    expect(await complete('tools', 'GetIn')).toEqual(['GetInitiative', 'GetInitiativeDescription'])
  })
})

test('a shell that is not known is a usage error', async () => {
  const { code, errors } = await runNode([tracker, 'completion', 'tcsh'])
  expect([code, errors]).toEqual([
    2,
    expect.stringMatching(/^issue-tracker: completion needs one shell: bash, zsh or fish\. Try `node .* --help`\.\n$/),
  ])
})

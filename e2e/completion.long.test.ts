import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { runNode, temporaryDirectory } from './command.ts'
import { baseEnvironment } from '../packages/testing/src/processes/process.ts'
import { shareOf } from '../packages/testing/src/runs.ts'

const tracker = path.join(import.meta.dirname, '..', 'apps', 'issue-tracker', 'dist', 'main.js')

/** Commands that make each shell complete a line and print the candidates, one per line. */
const completers = {
  bash: (script: string, words: readonly string[]) => `${script}
    COMP_WORDS=(issue-tracker-mcp ${words.map(quote).join(' ')}); COMP_CWORD=${words.length}
    _issue_tracker_mcp; printf '%s\\n' "\${COMPREPLY[@]}"`,
  // `compadd` works only in a widget, so a function that prints its arguments replaces it. The first `compinit` reads a thousand files.
  zsh: (script: string, words: readonly string[], dump: string) => `autoload -Uz compinit; compinit -u -d ${quote(dump)}; ${script}
    compadd() { print -rl -- $values }; _files() { print files }
    words=(issue-tracker-mcp ${words.map(quote).join(' ')}); CURRENT=${words.length + 1}; _issue_tracker_mcp`,
  fish: (script: string, words: readonly string[]) => `${script}
    complete -C ${quote(['issue-tracker-mcp', ...words].join(' '))} | string split -f1 \\t`,
}

const quote = (word: string) => `'${word}'`

type Shell = keyof typeof completers

const shells: readonly Shell[] = ['bash', 'zsh', 'fish']

/** Incomplete command lines, and the candidates for the last word of each. */
const lines: readonly (readonly [words: readonly string[], candidates: unknown])[] = [
  [['st'], ['status']],
  [['status', '--js'], ['--json']],
  [
    ['call', 'CreateIssue'],
    ['CreateIssue', 'CreateIssueRelation'],
  ],
  [['call', 'CreateIssue', '--priority', 'h'], ['high']],
  [
    ['config', 'claude'],
    ['claude-code', 'claude-desktop'],
  ],
  [['--log-level', 'de'], ['debug']],
  [['call', 'CreateIssue', '--team', 'ENG', '--pri'], ['--priority']],
  [['vault', ''], expect.arrayContaining(['check', 'rotate'])],
  [['--read-only', 'call', 'Create'], expect.not.arrayContaining(['CreateIssue'])],
  [['tools', '--tool-names', ''], expect.arrayContaining(['safe', 'canonical'])],
  [['call', 'CreateIssue', '--no-a'], ['--no-auto-accept-matches']],
  [
    ['tools', 'GetIn'],
    ['GetInitiative', 'GetInitiativeDescription'],
  ],
]

describe.for(shells)('%s', (shell) => {
  const isMissing = spawnSync(shell, ['-c', 'true']).status !== 0
  const options = { bash: ['--norc', '-c'], zsh: ['-f', '-c'], fish: ['--no-config', '-c'] }[shell]
  let [script, dump] = ['', '']
  beforeAll(async () => {
    const { code, output } = await runNode([tracker, 'completion', shell])
    expect(code).toBe(0)
    script = output
    dump = path.join(await temporaryDirectory(), 'dump')
  })

  // Finding the candidates starts a server.
  const chosen = shareOf(lines, 3, shells.indexOf(shell))
  test.skipIf(isMissing).for(chosen)('completes %j', ([words, candidates]) => {
    const { stdout, stderr } = spawnSync(shell, [...options, completers[shell](script, words, dump)], {
      env: baseEnvironment(),
      encoding: 'utf8',
    })
    expect(stderr).toBe('')
    expect(stdout.trim().split('\n').sort()).toEqual(candidates)
  })
})

test('a shell that is not known is a usage error', async () => {
  const { code, errors } = await runNode([tracker, 'completion', 'tcsh'])
  expect([code, errors]).toEqual([
    2,
    expect.stringMatching(/^issue-tracker: completion needs one shell: bash, zsh or fish\. Try `node .* --help`\.\n$/),
  ])
})

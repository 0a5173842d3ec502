import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import type { ServerDefinition } from '../../mcp/definition.ts'
import type { AppCommand } from '../../mcp/extension.ts'
import { acme, acmeServer } from '../../../test/acme.ts'
import { listedTool } from '../../../test/listed-tool.ts'
import { runCli } from '../cli.ts'
import { commandNames } from './command-options.ts'

const shelf: AppCommand = {
  usage: 'shelf list | drop ID',
  description: 'what lies on the shelf',
  example: 'shelf list',
  options: ['json'],
  run: () => Promise.resolve({ code: 0, text: '' }),
}

const withoutAccount: ServerDefinition<never> = {
  ...acmeServer,
  listedTools: [listedTool('GetBook')],
  extensions: [{ commands: { shelf } }],
}
const definition: ServerDefinition<never> = { ...withoutAccount, account: acme }

/** Runs the server's command, through npm if `script` is true. */
async function run(args: readonly string[], { served = definition, script = false } = {}) {
  const [output, errors] = [new PassThrough({ encoding: 'utf8' }), new PassThrough({ encoding: 'utf8' })]
  const environment = { MCP_TOOLKITS_DATA_DIR: '/data', ...(script && { npm_lifecycle_event: 'acme' }) }
  const console = { input: new PassThrough(), output, errors, environment, program: 'acme', onSignal: () => undefined }
  const code = await runCli(served, args, console)
  return { code, output: String(output.read() ?? ''), errors: String(errors.read() ?? '') }
}

it('explains one command: its usage, its options, an example, and where the others are', async () => {
  const { code, output } = await run(['config', '--help'])
  expect([code, output]).toEqual([
    0,
    `Usage: acme-mcp config <client> [NAME=VALUE | NAME …] [--write]
      Print the configuration for cursor, vscode, zed and others, with these
      variables and options.

Usage: acme-mcp config <client> URL [--write]
      The same for a remote server.

Options:
  --write
      write the configuration to the client's file

Example:
  acme-mcp config cursor --write

\`acme-mcp --help\` lists all commands, and the options that work with every one.
`,
  ])
  expect((await run(['help', 'config'])).output).toBe(output)
  expect((await run(['config', '-h'], { script: true })).output).toContain('Usage: npm run -s acme -- config <client>')
})

it('begins with what a beginner needs, in lines of at most 80 columns', async () => {
  for (const script of [false, true]) {
    const { output } = await run(['--help'], { script })
    const lines = output.split('\n')
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    const places = ['tools', 'call', 'config', 'status', 'doctor', 'login', 'shelf', 'http', 'vault', '--data-dir'].map((word) =>
      lines.findIndex((line) => line.startsWith(`  ${word} `)),
    )
    expect(places).toEqual([...places].sort((one, two) => one - two))
    expect(places).not.toContain(-1)
    expect(output).toContain(script ? '\n  npm run -s acme -- tools GetBook\n' : '\n  acme-mcp tools GetBook\n')
  }
})

it('explains every command that the help of the whole server lists', async () => {
  const { output: all } = await run(['--help'])
  expect((await run(['help'])).output).toBe(all)
  for (const command of commandNames(definition)) {
    const { code, output } = await run([command, '--help'])
    const [usage = '', ...others] = output.split('\n').filter((line) => line.startsWith('Usage: '))
    expect(code).toBe(0)
    for (const each of [usage, ...others]) expect(each).toMatch(new RegExp(`^Usage: acme-mcp ${command}\\b`))
    expect(all).toMatch(new RegExp(`^  ${command} +[a-z]`, 'm'))
    expect(output).toMatch(new RegExp(`\nExample:\n  acme-mcp ${command}\\b`))
    // Each option in the usage is explained.
    for (const [option] of usage.matchAll(/--[a-z][a-z-]+/g)) expect(output).toMatch(new RegExp(`^  ${option}( [A-Z]+)?\n {6}[a-z]`, 'm'))
  }
})

it('leaves out what the server does not have', async () => {
  const { output } = await run(['call', '--help'])
  expect(output).toContain('\n  --idempotency-key KEY\n')
  expect(output).not.toMatch(/--(in|out)put/)
  expect(await run(['login', '--help'], { served: withoutAccount })).toEqual(await run(['--help'], { served: withoutAccount }))
})

it('explains the commands that only this server has', async () => {
  const { output } = await run(['shelf', '--help'])
  expect(output).toContain('Usage: acme-mcp shelf list | drop ID\n      What lies on the shelf.\n')
  expect(output).toContain('\n  --json\n      print JSON, for programs\n')
  expect(output).toContain('\n  acme-mcp shelf list\n')
})

it('suggests a command for one that does not exist', async () => {
  const { code, output, errors } = await run(['stauts', '--help'])
  expect([code, output]).toEqual([2, ''])
  expect(errors).toContain('There is no command "stauts". Did you mean status?')
})

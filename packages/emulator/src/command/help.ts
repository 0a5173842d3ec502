import type { CommandDefinition } from './definition.ts'

const column = 24

/** The text of --help. */
export function helpText({ name, service, port, credential, variable, dataDirectory, options = {} }: CommandDefinition): string {
  const lines = [
    ['--port PORT', `the port to listen on; ${port} when absent, and 0 takes any free one`],
    ['--seed SEED', 'what a new database contains: company (the default), edge-cases, empty, or a file of YAML or JSON'],
    ['--memory', 'keep no data after the end'],
    ['--data-dir DIR', `where the data are stored; ${dataDirectory} when absent`],
    [
      '--token TOKEN',
      `what programs send as ${credential.name} (${variable}); "${credential.value}" when absent. Also needed to set faults, the clock and snapshots, and to reset, over HTTP`,
    ],
    ['--host HOST', 'the address to listen on; 127.0.0.1 when absent. One that other machines reach needs --token, and serves no pages'],
    ...Object.entries(options).map(([option, { placeholder, description }]) => [`--${option} ${placeholder}`, description] as const),
    ['--json', 'print one line of JSON with the addresses and tokens'],
    ['--help, --version', 'print this, or the version'],
  ] as const
  return [
    `${name}: ${service} on this machine, for programs to test against. Nothing is forwarded to the vendor.`,
    '',
    `Usage: ${name} [options]`,
    '',
    ...lines.map(([usage, description]) => `  ${usage.padEnd(column)}${description}`),
  ].join('\n')
}

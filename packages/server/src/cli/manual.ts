import type { ServerDefinition } from '../definition.ts'

/** One line of the manual: what is written, and what it is about. */
export interface Entry {
  readonly usage: string
  readonly about: string
  /** The variable that says the same. */
  readonly variable?: string
}

type Described = Pick<ServerDefinition<never>, 'name' | 'commands' | 'signIn' | 'downloads' | 'privateUrlsVariable'>

/** Every command of a server. */
export function commandsOf({ name, commands = {}, signIn, downloads }: Described): Entry[] {
  const command = `${name}-mcp`
  const accounts = signIn
    ? [
        {
          usage: `${command} login [--no-browser] [--scopes LIST] [--port N]`,
          about: `sign in to ${signIn.provider.name} in a browser; servers then act as you`,
        },
        { usage: `${command} logout`, about: 'end the login and forget it' },
      ]
    : []
  const saving = downloads
    ? [{ usage: `${command} call ${downloads.whole} '<json>' --output FILE`, about: 'write the whole content to a new file' }]
    : []
  return [
    { usage: command, about: 'serve over stdio: what an MCP client starts' },
    {
      usage: `${command} http [--host 127.0.0.1] [--port 3000] [--allowed-hosts LIST]`,
      about: 'serve Streamable HTTP at /mcp, and /healthz',
    },
    { usage: `${command} tools [--json]`, about: 'list the tools' },
    { usage: `${command} call <tool> ['<json>']`, about: 'one call; arguments as JSON or on standard input' },
    ...saving,
    ...accounts,
    { usage: `${command} status [--json]`, about: 'what this server is connected to' },
    {
      usage: `${command} config <client>`,
      about: 'configuration for claude-desktop, claude-code, cursor, vscode or codex, with the options given',
    },
    { usage: `${command} emulator [--port N]`, about: 'serve the embedded vendor API by itself' },
    ...Object.values(commands).map(({ usage, about }) => ({ usage: `${command} ${usage}`, about })),
  ]
}

/** The options that go with every command. */
export function optionsOf({ signIn, privateUrlsVariable }: Described): Entry[] {
  const shared = (option: string) => `MCP_TOOLKITS_${option}`
  return [
    {
      usage: '--embedded',
      about: 'use the embedded default whatever is configured; MCP_TOOLKITS_EMBEDDED=0 never uses it',
      variable: shared('EMBEDDED'),
    },
    { usage: '--data-dir DIR', about: 'where logins, embedded data and what waits to be sent lives', variable: shared('DATA_DIR') },
    ...(signIn
      ? [{ usage: '--profile NAME', about: 'use the login of that name; without it, "default"', variable: shared('PROFILE') }]
      : []),
    { usage: '--read-only', about: 'refuse every write', variable: shared('READ_ONLY') },
    { usage: '--tools LIST', about: 'offer only these tools', variable: shared('TOOLS') },
    ...(privateUrlsVariable === undefined
      ? []
      : [
          {
            usage: '--allow-private-urls HOST,…',
            about: 'hosts that may be fetched although they are not public',
            variable: privateUrlsVariable,
          },
        ]),
    {
      usage: '--tool-names MODE',
      about: 'safe (Prefix_Name, the default) or canonical (Prefix.Name)',
      variable: shared('TOOL_NAMES'),
    },
    {
      usage: '--log-level LEVEL',
      about: 'silent, error, warn, info (the default) or debug; on standard error',
      variable: shared('LOG_LEVEL'),
    },
  ]
}

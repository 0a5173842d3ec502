import type { ServerDefinition } from '../definition.ts'

/** The text of --help. */
export function help({
  name,
  title,
  connectHint,
  commands = {},
  signIn,
  downloads,
  privateUrlsVariable,
}: Pick<ServerDefinition<never>, 'name' | 'title' | 'connectHint' | 'commands' | 'signIn' | 'downloads' | 'privateUrlsVariable'>): string {
  const command = `${name}-mcp`
  const own = Object.values(commands).map(({ usage, about }) => line(`${command} ${usage}`, about))
  const lines = [
    line(command, 'serve over stdio: what an MCP client starts'),
    line(`${command} http [--host 127.0.0.1] [--port 3000] [--allowed-hosts LIST]`, 'serve Streamable HTTP at /mcp, and /healthz'),
    line(`${command} tools [--json]`, 'list the tools'),
    line(`${command} call <tool> ['<json>']`, 'one call; arguments as JSON or on standard input'),
    ...(downloads ? [line(`${command} call ${downloads.whole} '<json>' --output FILE`, 'write the whole content to a new file')] : []),
    ...(signIn ? accountLines(command, signIn.provider.name) : []),
    line(`${command} status [--json]`, 'what this server is connected to'),
    line(`${command} config <client>`, 'configuration for claude-desktop, claude-code, cursor, vscode or codex, with the options given'),
    line(`${command} emulator [--port N]`, 'serve the embedded vendor API by itself'),
    ...own,
  ]
  const options = [
    line('--embedded', 'use the embedded default whatever is configured; MCP_TOOLKITS_EMBEDDED=0 never uses it'),
    line('--data-dir DIR', 'where logins, embedded data and what waits to be sent lives'),
    ...(signIn ? [line('--profile NAME', 'use the login of that name; without it, "default"')] : []),
    line('--read-only', 'refuse every write'),
    line('--tools LIST', 'offer only these tools'),
    ...(privateUrlsVariable === undefined
      ? []
      : [line('--allow-private-urls HOST,…', `hosts that may be fetched although they are not public; or ${privateUrlsVariable}`)]),
    line('--tool-names MODE', 'safe (Prefix_Name, the default) or canonical (Prefix.Name)'),
    line('--log-level LEVEL', 'silent, error, warn, info or debug; on standard error'),
  ]
  return [
    title,
    '',
    ...lines,
    '',
    `Options of every command; each is also a variable such as MCP_TOOLKITS_DATA_DIR`,
    ...options,
    '',
    connectHint,
  ].join('\n')
}

function accountLines(command: string, vendor: string): string[] {
  return [
    line(`${command} login [--no-browser] [--scopes LIST] [--port N]`, `sign in to ${vendor} in a browser; servers then act as you`),
    line(`${command} logout`, 'end the login and forget it'),
  ]
}

const column = 46

function line(usage: string, about: string): string {
  return usage.length < column ? `  ${usage.padEnd(column)}${about}` : `  ${usage}\n  ${' '.repeat(column)}${about}`
}

import type { ServerDefinition } from '../definition.ts'

/** The text of --help. */
export function help({
  name,
  title,
  nickname,
  connectHint,
  commands = {},
}: Pick<ServerDefinition<never>, 'name' | 'title' | 'nickname' | 'connectHint' | 'commands'>): string {
  const command = `${name}-mcp`
  const own = Object.values(commands).map(({ usage, about }) => `  ${`${command} ${usage}`.padEnd(42)}${about}\n`)
  return `${title}

  ${command}                                serve over stdio: what an MCP client starts
  ${command} http [--host 127.0.0.1] [--port 3000] [--allowed-hosts LIST]
                                            serve Streamable HTTP at /mcp, and /healthz
  ${command} tools [--json]                 list the tools
  ${command} call <tool> ['<json>']         one call; arguments as JSON or on standard input
  ${command} status [--json]                what this server is connected to
  ${command} config <client>                configuration for claude-desktop, claude-code, cursor, vscode, codex ("${nickname}")
  ${command} emulator [--port N]            serve the embedded vendor API by itself
${own.join('')}
Options of every command
  --embedded             use the embedded default even though an account is configured
  --data-dir DIR         where embedded data lives
  --read-only            refuse every write
  --tools LIST           offer only these tools
  --tool-names MODE      safe (Prefix_Name, the default) or canonical (Prefix.Name)
  --log-level LEVEL      silent, error, warn, info or debug; on standard error

${connectHint}`
}

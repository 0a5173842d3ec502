import type { ServerDefinition } from '../../mcp/definition.ts'
import { jsonLog, type Log, type LogLevel } from '../../mcp/log.ts'
import type { Console } from '../command.ts'
import { withInvocation } from '../invocation.ts'

/** The log on standard error. It names the server's command as the person started it. */
export function logTo(definition: Pick<ServerDefinition<never>, 'name'>, console: Console, level: LogLevel): Log {
  return jsonLog(level, (line) => console.errors.write(line), withInvocation(definition, console))
}

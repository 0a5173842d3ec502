import { existsSync } from 'node:fs'
import path from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import type { ServerDefinition } from '../../mcp/definition.ts'
import { type CommandLine, type Console } from '../command.ts'
import { logTo } from './log-to.ts'

/**
 * Loads the first call's code ahead of time, if earlier calls have left data: a server that is never called stays small. Opens neither a
 * connection nor a file. Requests that arrive meanwhile are read between loading one part and the next. A part that cannot be loaded is
 * left to the call, which reports the problem.
 */
export async function preload<Context>(
  definition: ServerDefinition<Context>,
  { settings, logLevel }: Pick<CommandLine, 'settings' | 'logLevel'>,
  console: Console,
): Promise<void> {
  const { name, load, upstream } = definition
  const log = logTo(definition, console, logLevel)
  if (!existsSync(path.join(settings.dataDirectory, name))) {
    log.debug('not preloaded')
    return
  }
  const parts: readonly (() => Promise<unknown>)[] = [
    () => import('../../mcp/calls/answer-call.ts'),
    () => import('../../mcp/call.ts'),
    () => import('../../mcp/calls/operations.ts'),
    () => import('../../mcp/answers/mcp-result.ts'),
    () => import('../../mcp/elicitation/elicitation.ts'),
    () => import('../../account/login/scopes.ts'),
    () => import('../../storage/idempotency-store.ts'),
    // Node loads its fetch on first use.
    () => new Request('http://localhost').text(),
    load.tools,
    async () => (await load.connector()).preload?.(upstream(settings).kind === 'embedded'),
  ]
  for (const part of parts) {
    await turn()
    await part().catch(() => undefined)
  }
  log.debug('preloaded')
}

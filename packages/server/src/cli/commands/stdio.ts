import { systemClock } from '@mcp-toolkits/core/base'
import { serveStdio } from '../../serve/stdio/serve.ts'
import { embeddedNotice, openToolbox } from '../../mcp/calls/toolbox.ts'
import { print, UsageError } from '../command.ts'
import type { Command } from './command-type.ts'
import { logTo } from '../process/log-to.ts'
import { startTelemetry } from '../process/start-telemetry.ts'

/** Variables that may be misspelt, or may belong to other programs. */
const looksOdd = /^(?!MCP_TOOLKITS_(DATA_DIR|EMBEDDED)$).*(TOOLKITS|_(ID|KEY|TOKEN|SECRET|CREDENTIALS|REGION)$)/

/** Serves over standard input and output until the input ends or a signal arrives, and then answers the calls in flight. */
export const stdio: Command = async (definition, line, console) => {
  const { settings, logLevel, operands } = line
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}.`)
  const log = logTo(definition, console, logLevel)
  const measuring = await startTelemetry(definition, { line, log }, console)
  const toolbox = openToolbox(definition, settings, { log, ...measuring?.hooks })
  if (toolbox.embedded) log.warn(String(embeddedNotice(definition)))
  const { input, output } = console
  if ('isTTY' in input && input.isTTY === true) {
    const { withInvocation } = await import('../invocation.ts')
    const note = `This command is waiting for an MCP client. Press Ctrl-C to stop it; \`${definition.name}-mcp --help\` lists the other commands.`
    await print(console.errors, withInvocation(definition, console)(note))
  }
  const onListed = () => {
    console.onListed?.()
    if (settings.seed || Object.keys(settings.environment).some((name) => looksOdd.test(name)))
      void import('../checks/settings-warnings.ts')
        .then((it) => it.warnAtStart(definition, { settings, isEmbedded: toolbox.embedded }, log))
        .catch(() => undefined)
    // Half a second later, the client's other servers should have started, and its user has probably not asked for anything yet. The import
    // may fail, because an update may have replaced the file.
    const load = () => import('../process/preload.ts').then((it) => it.preload(definition, line, console)).catch(() => undefined)
    systemClock.timer(500, () => void load()).unref()
  }
  const server = serveStdio(definition, toolbox, { input, output, onListed, log })
  console.onSignal(() => void server.drain())
  void toolbox.resume()
  await server.closed
  await toolbox.close()
  await measuring?.close()
  return 0
}

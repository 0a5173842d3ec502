import { embeddedSentence, openToolbox } from '../toolbox.ts'
import { serveStdio } from '../stdio/serve.ts'
import type { Command } from './cli.ts'
import { logTo } from './console.ts'
import { UsageError } from './usage.ts'

/** Serves over standard input and output until input ends or a signal comes; calls in flight are answered first. */
export const stdio: Command = async (definition, { settings, logLevel, operands }, console) => {
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}.`)
  const log = logTo(console, logLevel)
  const toolbox = openToolbox(definition, settings, { log })
  if (toolbox.embedded) log.warn(embeddedSentence(definition))
  const { input, output, onListed } = console
  const server = serveStdio(definition, toolbox, { input, output, onListed, log })
  console.onSignal(() => void server.drain())
  void toolbox.resume()
  await server.closed
  await toolbox.close()
  return 0
}

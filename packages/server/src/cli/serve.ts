import { serveStdio } from '../stdio/serve.ts'
import { embeddedNotice, openToolbox } from '../toolbox.ts'
import { waitForSignal, logTo, print, UsageError, type Command } from './command.ts'
import { listenError } from './listen-error.ts'
import { startMeasuring } from './start-measuring.ts'

/** Serves over standard input and output until the input ends or a signal arrives; answers the calls in flight first. */
export const stdio: Command = async (definition, line, console) => {
  const { settings, logLevel, operands } = line
  if (operands.length > 0) throw new UsageError(`Unexpected: ${operands.join(' ')}.`)
  const log = logTo(console, logLevel)
  const measuring = await startMeasuring(definition, { line, log }, console)
  const toolbox = openToolbox(definition, settings, { log, ...measuring?.hooks })
  if (toolbox.embedded) log.warn(embeddedNotice(definition))
  const { input, output, onListed } = console
  const server = serveStdio(definition, toolbox, { input, output, onListed, log })
  console.onSignal(() => void server.drain())
  void toolbox.resume()
  await server.closed
  await toolbox.close()
  await measuring?.close()
  return 0
}

/** Serves the embedded vendor API alone, for other programs to test against. */
export const emulator: Command = async (definition, { settings, port = 0 }, console) => {
  const emulatorHandle = await definition.emulator(settings)
  const listener = await emulatorHandle.listen({ port }).catch((error: unknown) => {
    throw listenError(error, { host: '127.0.0.1', port, options: '--port' })
  })
  const stopped = waitForSignal(console)
  const notice = await emulatorHandle.seedNotice?.()
  const lines = [
    `The emulator of ${definition.vendor} listens on ${listener.url} (this machine only; nothing is forwarded).`,
    `See its data, and what programs change, at ${listener.url}/workspace.`,
    emulatorHandle.hint.replaceAll('{url}', listener.url),
    `To set faults over HTTP, send "Authorization: Bearer ${listener.token}" to ${listener.url}/__emulator/faults.`,
    ...(notice === undefined ? [] : [notice]),
  ]
  await print(console.output, lines.join('\n'))
  await stopped
  await emulatorHandle.close()
  return 0
}

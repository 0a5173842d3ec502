import { waitForSignal, print, type Command } from './command.ts'
import { listenError } from './listen-error.ts'
import { withInvocation } from './invocation.ts'

/** Serves the embedded vendor API alone, for other programs to test against. */
export const emulator: Command = async (definition, { settings, port = 0 }, console) => {
  const emulatorHandle = await definition.emulator(settings)
  const listener = await emulatorHandle.listen({ port }).catch((error: unknown) => {
    throw listenError(error, { host: '127.0.0.1', port, options: '--port' })
  })
  const stopped = waitForSignal(console)
  const notice = await emulatorHandle.seedNotice?.()
  const lines = [
    `The emulator of ${definition.vendor} listens on ${listener.url} (this machine only; no request is forwarded).`,
    `See its data, and what programs change, at ${listener.url}/workspace.`,
    withInvocation(definition, console)(emulatorHandle.hint.replaceAll('{url}', listener.url)),
    `To set faults over HTTP, send "Authorization: Bearer ${listener.token}" to ${listener.url}/__emulator/faults.`,
    ...(notice === undefined ? [] : [notice]),
  ]
  await print(console.output, lines.join('\n'))
  await stopped
  await emulatorHandle.close()
  return 0
}

import type { Command } from './cli.ts'
import { interrupted, print } from './console.ts'

/** Serves the embedded vendor API by itself, for other programs to test against. */
export const emulator: Command = async (definition, { settings, port }, console) => {
  const emulation = await definition.emulator(settings)
  const listening = await emulation.listen({ port: port ?? 0 })
  const stopped = interrupted(console)
  const lines = [
    `A local stand-in for ${definition.vendor} listens on ${listening.url} (this machine only; nothing is sent on).`,
    emulation.hint.replaceAll('{url}', listening.url),
    `To set faults over HTTP, send "Authorization: Bearer ${listening.token}" to ${listening.url}/__emulator/faults.`,
  ]
  await print(console.output, lines.join('\n'))
  await stopped
  await listening.close()
  await emulation.close()
  return 0
}

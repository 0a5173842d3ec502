import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'

const Times = z.object({ requests: z.number(), busy_ms: z.number(), open: z.literal(0) })

/** The emulator of a vendor in another process. */
export interface TimedVendor extends AsyncDisposable {
  readonly url: string
  /** Since the last call: the requests, and the milliseconds in which at least one was open. Fails while one is. */
  readonly takeTimes: () => Promise<z.infer<typeof Times>>
}

/** Starts the vendor of the server with this name. */
export async function startVendor(name: string): Promise<TimedVendor> {
  const program = path.join(import.meta.dirname, 'vendor-process.ts')
  const child = spawn(process.execPath, [program, name], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = z.url().parse((await once(createInterface(child.stdout), 'line'))[0])
  return {
    url,
    takeTimes: async () => Times.parse(await (await fetch(`${url}/times`)).json()),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'close')
      child.kill()
      await ended
    },
  }
}

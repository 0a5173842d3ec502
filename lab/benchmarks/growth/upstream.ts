import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { createInterface } from 'node:readline'
import * as z from 'zod'

const Counts = z.object({ requests: z.number(), bytes: z.number() })

/** A vendor in another process that answers at once. */
export interface Upstream extends AsyncDisposable {
  readonly url: string
  /** What has arrived since the last call. */
  readonly takeCounts: () => Promise<z.infer<typeof Counts>>
  /** Computes the md5 of a file of so many mebibytes, which its record then has at once. */
  readonly prepareChecksum: (mebibytes: number) => Promise<void>
}

export async function startUpstream(): Promise<Upstream> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, 'upstream-process.ts')], { stdio: ['ignore', 'pipe', 'inherit'] })
  const url = z.url().parse((await once(createInterface(child.stdout), 'line'))[0])
  return {
    url,
    takeCounts: async () => Counts.parse(await (await fetch(`${url}/counts`)).json()),
    async prepareChecksum(mebibytes) {
      await (await fetch(`${url}/checksum?mebibytes=${mebibytes}`)).text()
    },
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'close')
      child.kill()
      await ended
    },
  }
}

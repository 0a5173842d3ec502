import { Server } from 'node:http'
import { mkdir, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { runServer } from 'verdaccio'
import * as z from 'zod'
import { temporaryDirectory } from './command.ts'

const versionSchema = z.object({
  dist: z.object({ tarball: z.string() }),
  dependencies: z.record(z.string(), z.string()).optional(),
})
const packageSchema = z.object({ 'dist-tags': z.object({ latest: z.string() }), versions: z.record(z.string(), versionSchema) })

/** An npm registry on this machine that starts empty and asks no other. */
export interface Registry extends AsyncDisposable {
  readonly url: string
  /** What npm reads to publish there. */
  readonly userconfig: string
  readonly about: (name: string) => Promise<z.infer<typeof packageSchema>>
  readonly tarball: (url: string) => Promise<Buffer>
}

export async function registry(): Promise<Registry> {
  const directory = await temporaryDirectory()
  const storage = path.join(directory, 'storage')
  await mkdir(storage)
  const server: unknown = await runServer({
    // Paths of the configuration are relative to this file, which need not be there.
    configPath: path.join(directory, 'config.yaml'),
    self_path: path.join(directory, 'config.yaml'),
    storage,
    uplinks: {},
    auth: { htpasswd: { file: path.join(directory, 'htpasswd'), max_users: 1 } },
    packages: { '**': { access: ['$all'], publish: ['$authenticated'] } },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  })
  if (!(server instanceof Server)) throw new Error('Verdaccio gave no server.')
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${portOf(server.address())}/`
  const userconfig = path.join(directory, 'npmrc')
  await writeFile(userconfig, `//${new URL(url).host}/:_authToken=${await tokenOf(url)}\n`)
  return {
    url,
    userconfig,
    about: async (name) => packageSchema.parse(await (await fetch(new URL(name.replace('/', '%2f'), url))).json()),
    tarball: async (address) => Buffer.from(await (await fetch(address)).arrayBuffer()),
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function portOf(address: string | AddressInfo | null): number {
  if (address === null || typeof address === 'string') throw new Error('The registry listens on no port.')
  return address.port
}

/** Signs a new user up, as npm does. */
async function tokenOf(url: string): Promise<string> {
  const response = await fetch(new URL('-/user/org.couchdb.user:releaser', url), {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'releaser', password: 'not-a-secret-here' }),
  })
  return z.object({ token: z.string() }).parse(await response.json()).token
}

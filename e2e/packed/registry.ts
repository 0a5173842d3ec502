import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { Server } from 'node:http'
import path from 'node:path'
import { runServer } from 'verdaccio'
import * as z from 'zod'
import { temporaryDirectory } from '../command.ts'

/** An empty npm registry on this machine that asks no other registry. */
export interface Registry extends AsyncDisposable {
  readonly url: string
  /** The npmrc with which npm may publish there. */
  readonly userconfig: string
}

export async function openRegistry(): Promise<Registry> {
  const directory = await temporaryDirectory()
  const storage = path.join(directory, 'storage')
  await mkdir(storage)
  const server: unknown = await runServer({
    // Paths of the configuration are relative to this file, which does not have to exist.
    configPath: path.join(directory, 'config.yaml'),
    self_path: path.join(directory, 'config.yaml'),
    storage,
    uplinks: {},
    auth: { htpasswd: { file: path.join(directory, 'htpasswd'), max_users: 1 } },
    packages: { '**': { access: ['$all'], publish: ['$authenticated'] } },
    log: { type: 'stdout', format: 'pretty', level: 'fatal' },
  })
  if (!(server instanceof Server)) throw new Error('Verdaccio returned no server.')
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const host = `127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  const response = await fetch(`http://${host}/-/user/org.couchdb.user:releaser`, {
    method: 'PUT',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'releaser', password: 'not-a-secret-here' }),
  })
  const { token } = z.object({ token: z.string() }).parse(await response.json())
  const userconfig = path.join(directory, 'npmrc')
  await writeFile(userconfig, `//${host}/:_authToken=${token}\n`)
  return {
    url: `http://${host}/`,
    userconfig,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

// The two vendors of the benchmark, with the same data in every run.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { driveEmulator } from '../../../packages/emulators/drive/src/index.ts'
import { linearEmulator } from '../../../packages/emulators/linear/src/index.ts'
import { listenOnLoopback } from '../../../packages/testing/src/processes/loopback.ts'
import type { Vendor, World } from './catalog.ts'
import { openUpstream, type Upstream } from '../upstream.ts'

export interface OpenWorld extends AsyncDisposable {
  readonly upstream: (vendor: Vendor) => Upstream
  readonly world: (vendor: Vendor) => World
  /** Counts the vendor's issues, or files and folders. */
  readonly count: (vendor: Vendor) => number
}

const text = 'The report of the expedition.\n'.repeat(300)
const folder = '/Work/Projects/2026'
const reports = Array.from({ length: 60 }, (_, index) => ({ name: `report ${index}.txt`, text: `Report ${index}.` }))
const sizes = { '1 MiB': 1024 ** 2, '64 MiB': 64 * 1024 ** 2 }
const recordings = Object.entries(sizes).map(([size, bytes]) => ({ name: `recording of ${size}.bin`, bytes }))
const drive = {
  myDrive: [
    { name: 'Work', items: [{ name: 'Projects', items: [{ name: '2026', items: [{ name: 'Expedition.txt', text }, ...reports] }] }] },
    ...recordings,
  ],
}

export async function openWorld(): Promise<OpenWorld> {
  await using stack = new AsyncDisposableStack()
  const linear = linearEmulator({ limits: { requests: 1e9, points: 1e12 } })
  const google = driveEmulator({ seed: drive })
  const upstreams = { Linear: stack.use(await openUpstream(linear)), 'Google Drive': stack.use(await openUpstream(google)) }
  const directory = mkdtempSync(path.join(tmpdir(), 'peers-'))
  stack.defer(() => {
    rmSync(directory, { recursive: true, force: true })
  })
  const localFile = path.join(directory, 'upload.bin')
  const bytes = randomBytes(1024 * 1024)
  writeFileSync(localFile, bytes)
  const source = createServer((_request, response) => {
    response.writeHead(200, { 'content-type': 'application/octet-stream', 'content-length': bytes.length }).end(bytes)
  })
  const { url } = stack.use(await listenOnLoopback(source))
  const recordingOf = (size: keyof typeof sizes) => {
    const file = google.store.files().find(({ name }) => name === `recording of ${size}.bin`)
    return { id: String(file?.id), bytes: sizes[size] }
  }
  const issue = linear.store.issues().find(({ identifier }) => String(identifier).startsWith('ENG-'))
  const shared = {
    ...{ team: 'ENG', issue: String(issue?.['identifier']) },
    ...{ path: `${folder}/Expedition.txt`, folder, text },
    ...{ localFile, sourceUrl: `${url}/upload.bin`, directory },
    recordings: { '1 MiB': recordingOf('1 MiB'), '64 MiB': recordingOf('64 MiB') },
  }
  const resources = stack.move()
  return {
    upstream: (vendor) => upstreams[vendor],
    world: (vendor) => ({ ...shared, upstream: upstreams[vendor].url }),
    count: (vendor) => (vendor === 'Linear' ? linear.store.issues() : google.store.files()).length,
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

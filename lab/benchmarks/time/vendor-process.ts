// The emulator of a vendor behind a socket, in a process of its own, so that its work is not that of the server. It measures for how long
// at least one request is open: from its arrival until its answer is sent.
import { createServer } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listenOnLoopback } from '../../../packages/testing/src/processes/loopback.ts'
import type { Fetch } from '../../../packages/core/src/upstream/index.ts'
import { driveEmulator } from '../../../packages/emulators/drive/src/index.ts'
import { extendedApi as extendedDrive } from '../../../packages/emulators/drive/src/api/extended-api.ts'
import { linearEmulator } from '../../../packages/emulators/linear/src/index.ts'
import { pipelinesEmulator } from '../../../packages/emulators/pipelines/src/index.ts'
import { forward } from '../peers/upstream.ts'

const reports = Array.from({ length: 60 }, (_, index) => ({ name: `report ${index}.txt`, text: `Report ${index}.` }))
const seed = {
  myDrive: [
    {
      name: 'Work',
      items: [
        {
          name: 'Projects',
          items: [
            { name: '2026', items: [{ name: 'Expedition.txt', text: 'The report of the expedition.\n'.repeat(300) }, ...reports] },
            { name: 'moving.txt', text: 'Moving.' },
          ],
        },
        { name: 'Drafts', items: [{ name: 'draft 0.txt', text: 'Draft.' }] },
      ],
    },
  ],
}

const emulators: Readonly<Record<string, () => { readonly fetch: Fetch }>> = {
  'event-pipeline': () => pipelinesEmulator({}),
  'issue-tracker': () => linearEmulator({ limits: { requests: 1e9, points: 1e12 } }),
  'file-storage': () => driveEmulator({ api: extendedDrive, seed }),
}

const emulator = emulators[process.argv[2] ?? '']?.()
if (!emulator) throw new Error(`The name of a server is missing: ${Object.keys(emulators).join(', ')}.`)

const times = { requests: 0, busy_ms: 0 }
let open = 0
let since = 0

function begin(): void {
  if (open === 0) since = performance.now()
  open += 1
  times.requests += 1
}

function end(): void {
  open -= 1
  if (open === 0) times.busy_ms += performance.now() - since
}

/** The end is measured before the answer is sent, because the server may have it before this process runs again. */
const fetchWhole: Fetch = async (input, init) => {
  const answer = await emulator.fetch(input, init)
  const bytes = await answer.arrayBuffer()
  end()
  return new Response(bytes.byteLength > 0 ? bytes : null, answer)
}

const listener = await listenOnLoopback(
  createServer((request, response) => {
    if (request.url === '/times') {
      response.end(JSON.stringify({ ...times, open }))
      Object.assign(times, { requests: 0, busy_ms: 0 })
      return
    }
    begin()
    buffer(request)
      .then((body) => forward(fetchWhole, request, response, body))
      .catch(() => response.destroy())
  }),
)
console.log(listener.url)

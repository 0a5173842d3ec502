import { networkError, partwise, silence, type Failure, type Incident } from './network.ts'

/** Class of a fault, which decides what follows; see `expectations.ts`. */
export type FaultClass = 'transient' | 'oversized' | 'unsupported' | 'limited' | 'exhausted' | 'permanent' | 'redirect'

export interface Fault {
  /** Name on the suite's page. */
  readonly name: string
  readonly class: FaultClass
  /** The error code, if the class does not determine it. */
  readonly code?: string
  /** True if a call may work around a single fault: an issue not found by its identifier may be found by its id. */
  readonly hasWayAround?: boolean
  /** Minimum wait that the vendor asks for, in milliseconds. */
  readonly hintMs?: number
  /** True if the vendor has carried out the request. */
  readonly isCommitted?: boolean
  readonly fail: Failure
}

/** A vendor's response that refuses a request; each vendor has its own form. */
export interface Refusal extends Omit<Fault, 'fail'> {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: unknown
}

const page =
  '<!doctype html><html><head><title>Sign in</title></head><body><form action="/login">Sign in to the network</form></body></html>'
const html = { 'content-type': 'text/html; charset=utf-8' }
const json = { 'content-type': 'application/json; charset=utf-8' }
const megabyte = 1024 * 1024

/** A response that arrives at once. */
const answer =
  (status: number, body: string, headers: Readonly<Record<string, string>> = json): Failure =>
  async (incident) => {
    const bytes = Buffer.from(body)
    return Promise.resolve(
      partwise(incident, (index) => Promise.resolve(index === 0 && bytes.length > 0 ? bytes : undefined), { status, headers }),
    )
  }

/** Converts a refusal to a fault. */
export function refusalFault({ status, headers, body, ...rest }: Refusal): Fault {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  return { ...rest, fail: answer(status, text, { ...json, ...headers }) }
}

const transient = (name: string, fail: Failure): Fault => ({ name, class: 'transient', fail })
const committed = (name: string, fail: Failure): Fault => ({ name, class: 'transient', isCommitted: true, fail })
const failing =
  (code: string): Failure =>
  () =>
    Promise.reject(networkError(code))

/** Carries out the request, sends half of the vendor's response, and then does what `end` does. */
const halved =
  (end: (incident: Incident) => Promise<undefined>): Failure =>
  async (incident) => {
    const response = await incident.forward()
    const bytes = new Uint8Array(await response.arrayBuffer())
    const headers = Object.fromEntries([...response.headers].filter(([name]) => name !== 'content-length'))
    const next = (index: number) => (index === 0 ? Promise.resolve(bytes.subarray(0, bytes.length / 2)) : end(incident))
    return partwise(incident, next, { status: response.status, headers })
  }

/** Number of bytes in one response after which a server evidently has no limit; sending more would only take time. */
const enoughBytes = 40 * megabyte

/** A page that is `size` bytes long once decoded. */
const largePage =
  (size: number, headers: Readonly<Record<string, string>>): Failure =>
  async (incident) => {
    const part = Buffer.alloc(megabyte / 16, 'x')
    const count = size / part.length
    const next = (index: number) => {
      if (index * part.length > enoughBytes) return Promise.reject(new TypeError('terminated'))
      return Promise.resolve(index === 0 ? Buffer.from(page) : index < count ? part : undefined)
    }
    return Promise.resolve(partwise(incident, next, { headers: { ...html, ...headers } }))
  }

/** Faults that are independent of the vendor. */
export const generalFaults: readonly Fault[] = [
  ...[500, 502, 503, 504].map((status) => transient(`HTTP ${status}`, answer(status, '{}'))),
  { name: 'HTTP 501', class: 'unsupported', fail: answer(501, '{}') },
  transient('HTTP 502 with a page', answer(502, page, html)),
  transient('reset before the commit', failing('ECONNRESET')),
  committed('reset after the commit', async ({ forward }) => {
    await forward()
    throw networkError('ECONNRESET')
  }),
  committed('HTTP 500 after the commit', async (incident) => {
    await incident.forward()
    return answer(500, '{}')(incident)
  }),
  committed(
    'truncated',
    halved(() => Promise.reject(new TypeError('terminated'))),
  ),
  committed(
    'truncated without an error',
    halved(() => Promise.resolve(undefined)),
  ),
  transient('HTML page', answer(200, page, html)),
  transient('HTML page as JSON', answer(200, page)),
  transient('empty', answer(200, '')),
  transient('invalid JSON', answer(200, '{"data": {"id": ')),
  transient('wrong type', answer(200, '[17, null, "x"]')),
  // A response that begins with spaces, one every second, may still become JSON.
  committed('drip', async (incident) => {
    await incident.forward()
    return partwise(incident, async () => {
      await incident.clock.sleep(1_000, incident.signal)
      return Buffer.from(' ')
    })
  }),
  committed('stall', halved(silence)),
  transient('hang', silence),
  committed('hang after the commit', async (incident) => {
    await incident.forward()
    return silence(incident)
  }),
  transient('10 MB page', largePage(10 * megabyte, {})),
  {
    name: 'gzip bomb',
    class: 'oversized',
    fail: largePage(1024 * megabyte, { 'content-encoding': 'gzip', 'content-length': String(megabyte) }),
  },
  { name: 'redirect', class: 'redirect', fail: answer(302, '', { location: 'https://elsewhere.example/sign-in' }) },
  transient('DNS failure', failing('ENOTFOUND')),
  transient('TLS failure', failing('UNABLE_TO_VERIFY_LEAF_SIGNATURE')),
]

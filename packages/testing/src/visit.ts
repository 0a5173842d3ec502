/** A page that a browser was sent to. */
export interface Visited {
  readonly status: number
  readonly location: string
  readonly body: string
}

/** A browser that shows one page and follows nothing. */
export async function visit(address: URL | string, init: RequestInit = {}): Promise<Visited> {
  const response = await fetch(address, { redirect: 'manual', ...init })
  return { status: response.status, location: response.headers.get('location') ?? '', body: await response.text() }
}

/** How many requests an emulator that listens had for a path. */
export async function requestsFor(path: string, url: string): Promise<number> {
  const listed: unknown = await (await fetch(`${url}/__emulator/requests?limit=1000`)).json()
  if (!holdsRequests(listed)) throw new Error(`This is no list of requests: ${JSON.stringify(listed)}`)
  return listed.requests.filter((request) => request.path === path).length
}

function holdsRequests(value: unknown): value is { readonly requests: readonly { readonly path: string }[] } {
  return typeof value === 'object' && value !== null && 'requests' in value && Array.isArray(value.requests)
}

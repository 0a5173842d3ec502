import { member } from '@mcp-toolkits/core/json'

export interface LoadedPage {
  readonly status: number
  readonly location: string
  readonly body: string
}

/** Loads one page as a browser does, without following redirects. */
export async function fetchPage(address: URL | string, init: RequestInit = {}): Promise<LoadedPage> {
  const response = await fetch(address, { redirect: 'manual', ...init })
  return { status: response.status, location: response.headers.get('location') ?? '', body: await response.text() }
}

/** How many requests for a path a listening emulator received. */
export async function countRequests(path: string, url: string): Promise<number> {
  const requests = member(await (await fetch(`${url}/__emulator/requests?limit=1000`)).json(), 'requests')
  if (!Array.isArray(requests)) throw new Error('This is no list of requests.')
  return requests.filter((request) => member(request, 'path') === path).length
}

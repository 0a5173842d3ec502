import { AsyncLocalStorage } from 'node:async_hooks'

/** Name of the tool being called, optionally followed by a space and the call's id. */
export const currentTool = new AsyncLocalStorage<string | undefined>()

/** Runs work that belongs to no call, even if a call started it. */
export function withoutTool<Result>(work: () => Result): Result {
  return currentTool.run(undefined, work)
}

type Fetch = (input: string | URL | Request, init?: RequestInit) => Promise<Response>

/** A fetch that tells an emulator in this process which tool sends a request, for people who watch it. No vendor gets the name. */
export function namingTool(fetch: Fetch): Fetch {
  return (input, init) => {
    const tool = currentTool.getStore()
    if (tool === undefined) return fetch(input, init)
    const headers = new Headers(init?.headers ?? (input instanceof Request ? input.headers : undefined))
    headers.set('mcp-toolkits-call', tool)
    return fetch(input, { ...init, headers })
  }
}

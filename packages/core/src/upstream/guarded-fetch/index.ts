export { parseAllowedHosts } from './allowed-hosts.ts'
export { guardedFetch, type GuardedFetch, type GuardedFetchOptions, type GuardedRequest, type GuardedResponse } from './guarded-fetch.ts'

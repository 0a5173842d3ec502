import type { ApiSurface } from '../graphql/api-surface.ts'

/** Everything that the emulator knows of Linear, for `linearEmulator({ api: extendedApi })`; loaded with the first request. */
export const extendedApi = async (): Promise<ApiSurface> => (await import('../extended-api.ts')).extendedApi

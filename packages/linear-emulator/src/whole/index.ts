import type { ApiSurface } from '../graphql/api-surface.ts'

/** Everything that the emulator knows of Linear, for `linearEmulator({ api: wholeApi })`; loaded with the first request. */
export const wholeApi = async (): Promise<ApiSurface> => (await import('./api.ts')).wholeApi

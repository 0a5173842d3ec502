export { defineServer } from './definition.ts'
export type { AdvertisedTool, ListedTool } from './listing.ts'
export type { Connection, ConnectOptions, Emulation, Listening, ServerDefinition, Settings, Upstream } from './definition.ts'

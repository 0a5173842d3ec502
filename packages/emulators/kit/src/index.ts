export { createSeedNames, formatPath, SeedError, type SeedNames, type SeedPath, seedText, type SeedTime, seedTime } from './seed/texts.ts'
export { assumedOn, type Day, documented, own, type Rule, type Rules, seen } from './rules.ts'
export { isObject, type JsonObject, numberAt, parseJson, stringAt, stringOrNullAt, stringsIn, toObject } from './json.ts'
export { type EmulatorListener, isSameSecret, loopbackOnly } from './listen.ts'
export {
  createRouter,
  defineEmulator,
  type Emulator,
  type EmulatorDefinition,
  type Exchange,
  type HasDatabase,
  type ListenOptions,
  type Resources,
} from './emulator.ts'
export type { ChaosAction, FaultAction, FaultRule, Faults } from './faults.ts'
export { browserOnly, document, guardPages, type Html, openTickets, type PageTable, problemPage } from './page.ts'
export type { Fetch } from './local-fetch.ts'
export { insertRow, type ListRange, logTable, type LogTable } from './tables.ts'
export { checkHosts, type Deliveries, type DeliveryOptions, isDeliverable, openDeliveries, undeliverable } from './webhooks.ts'
export { callOf, type LoggedRequest, type ReceivedRequest, type RequestFacts, type RequestHead } from './request-log.ts'
export { blob, integer, nullable, type RowOf, type SqlParameters, type Store, type StoreClock, text } from '@mcp-toolkits/sqlite'

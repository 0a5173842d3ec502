export { openConnectFlow } from './connect-routes.ts'
export type { ConnectSteps, VendorAccount } from './connect-steps.ts'
export type { ConnectionEvent } from './connection-events.ts'

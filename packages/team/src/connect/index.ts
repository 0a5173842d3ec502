export { openConnectFlow } from './connect-flow.ts'
export type { ConnectSteps, VendorAccount } from './connect-steps.ts'
export type { ConnectionEvent } from './connection-events.ts'

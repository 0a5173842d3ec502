export { checkHosts, hostProblem, isDeliverable, undeliverable } from './addresses.ts'
export { type Deliveries, type Delivery, type DeliveryOptions, type Notification, openDeliveries } from './deliveries.ts'

export { document, problemPage, type Html } from '../page.ts'
export { guard, personOnly } from './guard.ts'
export { openTickets, type TicketOptions, type Tickets } from './tickets.ts'

export { document, problemPage, type Html } from './document.ts'
export { guard, personOnly } from './guard.ts'
export { openTickets, type TicketOptions, type Tickets } from './tickets.ts'

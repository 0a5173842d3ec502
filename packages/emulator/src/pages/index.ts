export { document, problemPage, type Html } from '../page.ts'
export { guardPages, browserOnly } from './guard.ts'
export { openTickets, type TicketOptions, type Tickets } from './tickets.ts'

import { randomBytes } from 'node:crypto'

/** One-time names for what a page asks, so that nobody can answer what was not asked, or twice. */
export interface Tickets<T> {
  readonly issue: (asked: T) => string
  /** What was asked under a ticket, once; undefined for one that is used up, too old or made up. */
  readonly take: (ticket: string) => T | undefined
}

export interface TicketOptions {
  readonly now: () => number
  /** In milliseconds. */
  readonly lasts: number
}

/** How many questions can be open at a time; the oldest are forgotten first. */
const maxTickets = 100

export function openTickets<T>({ now, lasts }: TicketOptions): Tickets<T> {
  const open = new Map<string, { readonly asked: T; readonly expiresAt: number }>()
  return {
    issue(asked) {
      const ticket = randomBytes(24).toString('base64url')
      open.set(ticket, { asked, expiresAt: now() + lasts })
      const [oldest] = open.keys()
      if (open.size > maxTickets && oldest !== undefined) open.delete(oldest)
      return ticket
    },
    take(ticket) {
      const found = open.get(ticket)
      open.delete(ticket)
      return found === undefined || found.expiresAt <= now() ? undefined : found.asked
    },
  }
}

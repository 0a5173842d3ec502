import { type Context, Hono } from 'hono'
import { browserOnly, openTickets } from '../page.ts'
import type { View } from './workspace.ts'

/** Time, in milliseconds, that the person has to answer. */
const lifetimeMs = 10 * 60_000

export interface ResetOptions {
  readonly service: string
  readonly now: () => number
  readonly reset: () => void
  readonly show: (context: Context, view: View, status?: 400) => Response | Promise<Response>
}

/** The page that asks whether to restore the sample data. It accepts one answer, sent by the page itself in a browser on this machine. */
export function resetRoutes({ service, now, reset, show }: ResetOptions): Hono {
  const tickets = openTickets<true>({ now, lifetimeMs })
  const app = new Hono()
  app.get('/workspace/reset', (context) => show(context, question(service, tickets.issue(true))))
  app.post('/workspace/reset', ...browserOnly, async (context) => {
    const form = new URLSearchParams(await context.req.text())
    if (tickets.take(form.get('ticket') ?? '') === undefined) return show(context, tooLate, 400)
    reset()
    return context.redirect('/workspace', 303)
  })
  return app
}

const question = (service: string, ticket: string): View => ({
  title: 'Reset the data',
  section: '/reset',
  hasForm: true,
  content: (
    <form method="post" action="/workspace/reset">
      <p>
        This restores the sample data of {service} on this machine. It discards all changes that calls and programs have made, and the logs
        of calls and requests. It cannot be undone.
      </p>
      <input type="hidden" name="ticket" value={ticket} />
      <p>
        <button type="submit" class="danger">
          Reset the data of {service}
        </button>{' '}
        <a class="button" href="/workspace">
          Keep the data
        </a>
      </p>
    </form>
  ),
})

const tooLate: View = {
  title: 'Nothing was reset',
  section: '/reset',
  content: (
    <p role="alert">
      This page has already been used, or has expired. <a href="/workspace/reset">Ask again</a>
    </p>
  ),
}

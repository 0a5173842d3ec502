import type { StoreClock } from '@mcp-toolkits/sqlite'
import { type Context, Hono, type MiddlewareHandler } from 'hono'
import { loopbackOnly } from '../listen.ts'
import type { RequestLog } from '../request-log.ts'
import { script, style } from './assets.ts'
import type { CallLog } from './call-log.ts'
import { callPage } from './calls.tsx'
import { renderView } from './layout.tsx'
import type { ServedWorkspace } from './neighbours.ts'
import { requestPage } from './requests.tsx'
import { resetRoutes } from './reset.tsx'
import { type ShownTasks, taskPage, taskRevision, taskRoutes } from './tasks.tsx'
import type { View, Workspace, WorkspacePage } from './workspace.ts'

export interface WorkspaceOptions {
  /** The emulated API. */
  readonly service: string
  readonly workspace: Workspace
  readonly log: RequestLog
  readonly calls: CallLog
  /** Tasks of the server whose calls are in the log; undefined if there is none. */
  readonly tasks: () => ShownTasks | undefined
  /** The emulator's clock, like `Date.now`. */
  readonly now: () => number
  readonly reset: () => void
  readonly neighbours: () => readonly ServedWorkspace[]
  readonly clock: StoreClock
}

/** A workspace's pages under `/workspace`. All but those for resets and tasks are read-only. */
export function workspaceRoutes({ service, workspace, log, calls, tasks, now, reset, neighbours, clock }: WorkspaceOptions): Hono {
  const { sections, latestChange, revision } = workspace
  const revisions = {
    data: revision,
    requests: () => JSON.stringify(log.latest(1).map(({ id, status }) => [id, status])),
    calls: () => String(calls.find({ before: Number.MAX_SAFE_INTEGER, limit: 1 })[0]?.id ?? 0),
    tasks: () => taskRevision(tasks()),
  }
  const app: Hono = new Hono()
  app.use(guarded, loopbackOnly, directOnly, sameSiteOnly)
  const render = async (view: View) => {
    // Read before the page's data, so that after a change in between the page loads once more.
    const shown = await revisions[view.follows ?? 'data']()
    const own = ownSections.filter(({ path }) => path !== '/tasks' || tasks() !== undefined)
    const [all, others] = [[...sections, ...own], neighbours()]
    return renderView({ service, sections: all, neighbours: others, view, revision: shown, latestChange: latestChange(), now })
  }
  const show = async (context: Context, view: View, status: 200 | 400 | 404 = 200) => {
    // With no-referrer, browsers send `Origin: null` for forms.
    if (view.hasForm === true) context.header('referrer-policy', 'same-origin')
    return context.html(await render(view), status)
  }
  const notFound = (context: Context) => show(context, missing, 404)
  const serve = ({ path, show: read }: WorkspacePage) =>
    app.get(`/workspace${path === '/' ? '' : path}`, async (context) => {
      const part = (name: string) => context.req.param(name) ?? ''
      const query = (name: string) => {
        const value = context.req.query(name)
        return value === '' ? undefined : value
      }
      const view = await read({ part, query })
      if (view instanceof Response) return view
      return view === undefined ? notFound(context) : show(context, view)
    })
  app.get('/workspace/updates', ({ req }) => {
    const of = req.query('of')
    const chosen = of === 'requests' || of === 'calls' || of === 'tasks' ? revisions[of] : revision
    return updateStream({ revision: chosen, lookMs: of === 'tasks' ? taskLookMs : dataLookMs, clock, signal: req.raw.signal })
  })
  app.get('/workspace/assets/workspace.css', (context) => context.body(style, 200, { 'content-type': 'text/css; charset=utf-8' }))
  app.get('/workspace/assets/workspace.js', (context) => context.body(script, 200, { 'content-type': 'text/javascript; charset=utf-8' }))
  for (const page of [...workspace.pages, callPage(calls, log), requestPage(log), taskPage(tasks)]) serve(page)
  app.route('/', taskRoutes(tasks))
  app.route('/', resetRoutes({ service, now, reset, show }))
  app.notFound(notFound)
  app.onError((error) => {
    throw error
  })
  return app
}

const ownSections = [
  { path: '/calls', label: 'Calls' },
  { path: '/requests', label: 'Requests' },
  { path: '/tasks', label: 'Tasks' },
  { path: '/reset', label: 'Reset' },
]

const missing: View = {
  title: 'Not found',
  content: (
    <p>
      This page does not exist, or what it showed has been deleted. <a href="/workspace">Go to the start page</a>
    </p>
  ),
}

/** Refuses proxied requests, which can come from another machine. */
const directOnly: MiddlewareHandler = async (context, next) => {
  const isForwarded = ['forwarded', 'via', 'x-forwarded-for', 'x-real-ip'].some((name) => context.req.header(name) !== undefined)
  return isForwarded ? context.text('This is available on this machine only, without a proxy.\n', 403) : next()
}

const forms = ['/workspace/reset', '/workspace/tasks']

/** Lets other sites link to whole pages, but load nothing from the workspace. */
const sameSiteOnly: MiddlewareHandler = async (context, next) => {
  const { method } = context.req
  const isForm = method === 'POST' && forms.includes(context.req.path)
  if (method !== 'GET' && method !== 'HEAD' && !isForm)
    return context.text('The workspace is read-only. Send changes to the emulated API.\n', 405, { allow: 'GET' })
  const site = context.req.header('sec-fetch-site') ?? 'none'
  const isLink = context.req.header('sec-fetch-mode') === 'navigate' && context.req.header('sec-fetch-dest') === 'document'
  return site === 'none' || site === 'same-origin' || isLink
    ? next()
    : context.text('Other sites cannot load this page. Open its address in the browser.\n', 403)
}

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; base-uri 'none'; form-action 'self'; frame-ancestors 'none'"

const guarded: MiddlewareHandler = async (context, next) => {
  await next()
  // Pages with a file's content have a stricter policy.
  if (!context.res.headers.has('content-security-policy')) context.header('content-security-policy', policy)
  context.header('x-content-type-options', 'nosniff')
  context.header('x-frame-options', 'DENY')
  context.header('cross-origin-opener-policy', 'same-origin')
  context.header('cross-origin-resource-policy', 'same-origin')
  if (!context.res.headers.has('referrer-policy')) context.header('referrer-policy', 'no-referrer')
  context.header('cache-control', 'no-store')
}

/** Interval, in milliseconds, at which the data is checked for changes. */
const dataLookMs = 250
/** The same for tasks, in milliseconds; longer, because each task is read with its result. */
const taskLookMs = 2_000
/** Number of checks after which a comment is sent even without a change, so that proxies and browsers keep the connection open. */
const looksPerComment = 60

interface UpdateOptions {
  readonly revision: () => string | Promise<string>
  /** Interval between checks, in milliseconds. */
  readonly lookMs: number
  readonly clock: StoreClock
  /** Aborted when the person leaves the page or the emulator closes. */
  readonly signal: AbortSignal
}

/** A stream of server-sent events with the data's revision, now and after each change by any process. */
function updateStream(options: UpdateOptions): Response {
  const headers = { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' }
  return new Response(ReadableStream.from(updates(options)).pipeThrough(new TextEncoderStream()), { headers })
}

async function* updates({ revision, lookMs, clock, signal }: UpdateOptions): AsyncGenerator<string> {
  let last: string | undefined
  for (let looks = 1; !signal.aborted; looks += 1) {
    const current = await revision()
    if (current !== last) yield `data: ${current}\n\n`
    else if (looks % looksPerComment === 0) yield ':\n\n'
    last = current
    await clock.sleep(lookMs)
  }
}

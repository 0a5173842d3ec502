import { html } from 'hono/html'
import { Call, PageClock, Time } from './elements.tsx'
import type { ServedWorkspace } from './neighbours.ts'
import type { Change, Section, View } from './workspace.ts'

export interface LayoutProps {
  /** The emulated API. */
  readonly service: string
  readonly sections: readonly Section[]
  readonly neighbours: readonly ServedWorkspace[]
  readonly view: View
  /** Revision of the page's data, by which its script notices newer data. */
  readonly revision: string
  readonly latestChange: Change | undefined
  readonly now: () => number
}

/** A complete workspace page. */
export function renderView(props: LayoutProps) {
  return html`<!doctype html>${(
      <PageClock.Provider value={props.now}>
        <Layout {...props} />
      </PageClock.Provider>
    )}`
}

function Layout({ service, sections, neighbours, view, revision, latestChange }: LayoutProps) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>{`${view.title} · ${service} workspace`}</title>
        <link rel="icon" href="data:," />
        <link rel="stylesheet" href="/workspace/assets/workspace.css" />
        <script type="module" src="/workspace/assets/workspace.js" />
      </head>
      <body>
        <a class="skip" href="#main">
          Skip to content
        </a>
        <header>
          <p class="brand">
            <a href="/workspace">{service}</a>{' '}
            {neighbours.map((other) => (
              <>
                {'· '}
                <a class="soft" href={other.url}>
                  {other.service}
                </a>{' '}
              </>
            ))}
          </p>
          <nav aria-label="Workspace">
            {sections.map(({ path, label }) => (
              <a href={`/workspace${path}`} aria-current={path === view.section ? 'page' : undefined}>
                {label}
              </a>
            ))}
          </nav>
          <p id="status" role="status" data-revision={revision} data-updates={updatesOf(view)}>
            {latestChange && <LatestChange {...latestChange} />}
          </p>
        </header>
        <main id="main" tabindex={-1}>
          <h1 dir="auto">{view.title}</h1>
          {view.content}
        </main>
        <footer>
          <p>
            An emulator of {/API>?$/.test(service) ? `the ${service}` : service}. Its data stays on this machine, and it sends nothing to
            the vendor. Dates are in UTC.
          </p>
        </footer>
      </body>
    </html>
  )
}

const updatesOf = ({ follows }: View) => `/workspace/updates${follows === undefined ? '' : `?of=${follows}`}`

function LatestChange({ at, call, operation, subject }: Change) {
  return (
    <>
      <Call call={call} operation={operation} /> <bdi>{subject.length > 60 ? `${subject.slice(0, 60)}…` : subject}</bdi> <Time at={at} />
    </>
  )
}

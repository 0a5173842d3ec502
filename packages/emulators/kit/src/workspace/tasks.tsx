import { type Context, Hono } from 'hono'
import { browserOnly } from '../page.ts'
import { Time } from './elements.tsx'
import type { View, WorkspacePage } from './workspace.ts'

/** A call that outlives its request, as reported by the server. */
export interface ShownTask {
  readonly id: string
  readonly tool: string
  /** Status as named in the protocol: `working`. */
  readonly status: string
  /** Progress or outcome. */
  readonly message?: string | undefined
  /** Number of finished steps, and of all steps if known. */
  readonly done?: number | undefined
  readonly total?: number | undefined
  /** ISO 8601. */
  readonly at: string
}

/** Tasks of a server whose calls reach the emulator. */
export interface ShownTasks {
  /** Newest first. */
  readonly list: () => Promise<readonly ShownTask[]>
  readonly cancel: (id: string) => Promise<void>
}

const path = '/workspace/tasks'

/** The tasks, with their progress. */
export const taskPage = (tasks: () => ShownTasks | undefined): WorkspacePage => ({
  path: '/tasks',
  async show() {
    const shown = await tasks()?.list()
    return shown && pageOf(shown)
  },
})

/** Cancels a task, but only if the page itself asks, in a browser on this machine. */
export function taskRoutes(tasks: () => ShownTasks | undefined): Hono {
  const app = new Hono()
  app.post(path, ...browserOnly, async (context: Context) => {
    const form = new URLSearchParams(await context.req.text())
    await tasks()?.cancel(form.get('task') ?? '')
    return context.redirect(path, 303)
  })
  return app
}

/** Text that changes with each change to a task. */
export async function taskRevision(tasks: ShownTasks | undefined): Promise<string> {
  const shown = (await tasks?.list()) ?? []
  return JSON.stringify(shown.map(({ id, status, message, done }) => [id, status, message, done]))
}

const pageOf = (tasks: readonly ShownTask[]): View => ({
  title: 'Tasks',
  section: '/tasks',
  follows: 'tasks',
  hasForm: true,
  content: (
    <>
      <p class="soft">Long-running calls that continue after their request has ended, newest first. They are kept for a day.</p>
      {tasks.length === 0 && <p>No tasks.</p>}
      <ul class="rows">
        {tasks.map((task) => (
          <TaskItem {...task} />
        ))}
      </ul>
    </>
  ),
})

const tones = new Map([
  ['completed', ' good'],
  ['failed', ' bad'],
])

function TaskItem({ id, tool, status, message, done, total, at }: ShownTask) {
  const isOpen = status === 'working' || status === 'input_required'
  return (
    <li id={`task-${id}`}>
      <strong>{tool}</strong> <span class={`tag${tones.get(status) ?? ''}`}>{status.replaceAll('_', ' ')}</span> <Time at={at} />
      {message !== undefined && <p dir="auto">{message}</p>}
      {isOpen && (
        <form method="post" action={path}>
          {total !== undefined && <progress value={done} max={total} aria-label={`Progress of ${tool}`} />}{' '}
          <input type="hidden" name="task" value={id} />
          <button type="submit" id={`cancel-${id}`} aria-label={`Cancel ${tool}`}>
            Cancel
          </button>
        </form>
      )}
    </li>
  )
}

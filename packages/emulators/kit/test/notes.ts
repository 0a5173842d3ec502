import { assumedOn, createRouter, defineEmulator, documented, integer, text, type RowOf, type StoreClock } from '../src/index.ts'

const shape = { id: integer, body: text }

type Note = RowOf<typeof shape>

export const notesRules = {
  'notes/kept': documented('https://notes.example/docs', '2026-03-01')('Keeps <b>notes</b>.'),
  'notes/ordered': assumedOn('2026-03-02').result('Lists notes in the order in which they were written.', 'its app does'),
}

/** The smallest emulator with state: `POST /notes` stores a note, `GET /notes` lists all notes. */
export function notesEmulator({
  file,
  now,
  clock,
  welcome = 'welcome',
  service = 'Notes <API>',
}: {
  readonly file?: string
  readonly now?: () => number
  readonly clock?: StoreClock
  readonly welcome?: string
  readonly service?: string
} = {}) {
  return defineEmulator({
    service,
    ...(file !== undefined && { file }),
    ...(now !== undefined && { now }),
    ...(clock && { clock }),
    migrations: ['create table notes (id integer primary key, body text not null)'],
    seed: (store) => {
      store.run('insert into notes (body) values (:welcome)', { welcome })
    },
    seedName: welcome,
    rules: notesRules,
    operation: ({ headers, path }) => headers.get('x-operation') ?? path,
    facts: ({ headers }) => ({ agent: headers.get('x-agent') }),
    redactUrl(url) {
      const shown = new URL(url)
      shown.searchParams.delete('secret')
      return shown
    },
    storedBodies: 'all',
    build({ store, log, workspaceUrl }) {
      const notes = (): Note[] => store.rows(shape, 'select id, body from notes order by id')
      const app = createRouter()
      app.get('/notes', (context) => context.json(notes()))
      app.post('/notes', async (context) => {
        const body = new TextDecoder().decode(context.env.received.body)
        const { requestId } = context.env
        const made = await store.write(() => ({
          id: store.run('insert into notes (body) values (:body)', { body }),
          requestId: requestId(),
        }))
        return context.json(made, 201)
      })
      app.get('/where', (context) => context.text(workspaceUrl() ?? 'nowhere'))
      app.get(
        '/endless',
        () =>
          new Response(
            new ReadableStream({
              start: (stream) => {
                stream.enqueue(new Uint8Array(1))
              },
            }),
          ),
      )
      const table = { name: 'notes', title: 'Notes', columns: ['id', 'body'], list: notes, latest: notes }
      const workspace = async () => (await import('./notes-workspace.tsx')).notesWorkspace(store, notes)
      return { routes: app, readers: { notes, requests: log.list, bodyOf: log.body }, tables: [table], workspace }
    },
  })
}

export const post = (body: string, headers: Record<string, string> = {}): RequestInit => ({ method: 'POST', body, headers })

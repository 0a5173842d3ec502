import { integer, type Store } from '@mcp-toolkits/sqlite'
import type { Workspace } from '../src/workspace/index.ts'

/** The notes as a page. */
export const notesWorkspace = (store: Store, notes: () => readonly { readonly id: number; readonly body: string }[]): Workspace => ({
  sections: [{ path: '/notes', label: 'Notes' }],
  revision: () => String(store.rows({ last: integer }, 'select max(id) as last from notes')[0]?.last ?? 0),
  latestChange: () => undefined,
  pages: [
    {
      path: '/notes',
      show: () => ({
        title: 'Notes',
        section: '/notes',
        content: (
          <ul>
            {notes().map(({ id, body }) => (
              <li id={`note-${id}`}>{body}</li>
            ))}
          </ul>
        ),
      }),
    },
  ],
})

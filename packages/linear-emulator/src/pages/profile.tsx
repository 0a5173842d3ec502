import { pageSize, type WorkspacePage } from '@mcp-toolkits/emulator/workspace'
import { type Store, text } from '@mcp-toolkits/store'
import { IssueList } from './elements.tsx'
import { selectIssues } from './references.tsx'

/** A person and the issues that are assigned to them. */
export const profilePage = (store: Store): WorkspacePage => ({
  path: '/profiles/:name',
  show({ part }) {
    const [person] = store.rows({ id: text, name: text, email: text }, 'select id, name, email from users where displayName = :name', {
      name: part('name'),
    })
    if (!person) return undefined
    const clause = 'where i.assigneeId = :id and i.archivedAt is null order by i.updatedAt desc limit :limit'
    return {
      title: person.name,
      content: (
        <>
          <p>{person.email}</p>
          <h2>Assigned issues, last changed first</h2>
          <IssueList issues={selectIssues(store, clause, { id: person.id, limit: pageSize })} none="None." />
        </>
      ),
    }
  },
})

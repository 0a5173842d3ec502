import { appMethods } from './apps.ts'
import { changedDriveMethods } from './changed-drives.ts'
import { changeMethods } from './changes/methods.ts'
import { commentMethods } from './comments/methods.ts'
import { exportMethod } from './exports/method.ts'
import { copyMethod } from './files/copy-method.ts'
import { revisionMethods } from './revisions/methods.ts'
import { deleteRevisions, saveRevision } from './revisions/revisions.ts'
import type { ApiSurface } from './api-surface.ts'
import { wholeRules } from './whole-rules.ts'

export { wholeRules } from './whole-rules.ts'
export type { ApiSurface } from './api-surface.ts'

/** All that the emulator can do: `driveEmulator({ api: wholeApi })`. The servers do without it, so that they stay small. */
export const wholeApi: ApiSurface = {
  endpoints: [copyMethod, exportMethod, ...revisionMethods, ...commentMethods, ...changeMethods, ...changedDriveMethods, ...appMethods],
  rules: wholeRules,
  open: ({ store, now }) => ({
    addRoutes: () => undefined,
    contentReplaced: (former) => saveRevision(store, former, now()),
    itemDeleted(id) {
      store.run('delete from comments where fileId = :id', { id })
      return deleteRevisions(store, id)
    },
    changed: () => undefined,
    tables: [],
    close: () => Promise.resolve(),
  }),
}

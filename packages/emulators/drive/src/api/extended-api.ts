import { appMethods } from './apps.ts'
import { answerBatch } from './batch.ts'
import { watchMethods } from '../changes/channels.ts'
import { changeMethods } from '../changes/feed.ts'
import { openNotifier } from '../changes/notifications.ts'
import { commentMethods } from '../comments/comment-methods.ts'
import { discoveryDocument } from './discovery.ts'
import { endpoints } from './endpoints.ts'
import { exportFormats, exportMethod } from '../files/exports.ts'
import { copyMethod } from '../files/copy.ts'
import { deleteRevisions, revisionMethods, saveRevision } from '../revisions/revisions.ts'
import type { ApiSurface } from '../settings.ts'
import { sharedDriveMethods } from '../drives/shared-drive-methods.ts'
import { extendedRules } from '../rules/extended.ts'

export type { ApiSurface } from '../settings.ts'
export { extendedRules } from '../rules/extended.ts'

const methods = [
  copyMethod,
  exportMethod,
  ...revisionMethods,
  ...commentMethods,
  ...changeMethods,
  ...watchMethods,
  ...sharedDriveMethods,
  ...appMethods,
]

const formatsByType = Object.fromEntries(Object.entries(exportFormats).map(([type, { written }]) => [type, Object.keys(written)] as const))

/** All that the emulator can do: `driveEmulator({ api: extendedApi })`. The servers do without it, so that they stay small. */
export const extendedApi: ApiSurface = {
  endpoints: methods,
  rules: extendedRules,
  open({ store, now, hosts, sleep }) {
    const notifier = openNotifier({ store, now, hosts, ...(sleep && { sleep }) })
    return {
      addRoutes(app, failed) {
        for (const path of ['/batch', '/batch/drive/v3'])
          app.post(path, ({ env }) =>
            answerBatch(env, { answer: (request, exchange) => app.fetch(request, exchange), failed }).catch(failed),
          )
        for (const path of ['/discovery/v1/apis/drive/v3/rest', '/$discovery/rest'])
          app.get(path, ({ env, json }) => json(discoveryDocument([...endpoints, ...methods], `${env.received.url.origin}/`)))
      },
      contentReplaced: (former) => saveRevision(store, former, now()),
      itemDeleted(id) {
        store.run('delete from comments where fileId = :id', { id })
        return deleteRevisions(store, id)
      },
      changed: notifier.notify,
      opened: notifier.welcome,
      hosts,
      exportFormats: formatsByType,
      tables: [notifier.deliveries.table],
      close: notifier.close,
    }
  },
}

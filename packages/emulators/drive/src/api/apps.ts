import { notFound } from '../http/errors.ts'
import { defineShape, type FieldShape, maskOf, respondWith } from '../http/field-masks.ts'
import type { Answers } from '../session/methods.ts'

const iconShape = defineShape('size category iconUrl')
export const appShape: FieldShape = defineShape(
  'kind id name objectType supportsCreate supportsImport supportsMultiOpen supportsOfflineCreate installed authorized useByDefault productUrl ' +
    'shortDescription longDescription openUrlTemplate createUrl createInFolderTemplate primaryMimeTypes secondaryMimeTypes primaryFileExtensions ' +
    'secondaryFileExtensions hasDriveWideScope productId',
  { icons: iconShape },
)
export const appListShape: FieldShape = defineShape('kind selfLink defaultAppIds', { items: appShape })

/** The account's one app: the calling program. */
const app = {
  kind: 'drive#app',
  id: '407408718192',
  name: 'Lodestar Desktop',
  objectType: 'file',
  supportsCreate: false,
  supportsImport: false,
  supportsMultiOpen: false,
  installed: true,
  authorized: true,
  useByDefault: false,
  hasDriveWideScope: true,
  productId: '407408718192',
} as const

/** The methods for apps: https://developers.google.com/workspace/drive/api/reference/rest/v3/apps. */
export const appMethods: Answers = {
  'apps.list': (session) =>
    respondWith(
      session,
      { kind: 'drive#appList', selfLink: 'https://www.googleapis.com/drive/v3/apps', items: [app], defaultAppIds: [] },
      { shape: appListShape, absent: maskOf('kind selfLink items defaultAppIds') },
    ),
  'apps.get'(session, { part }) {
    const id = part('appId')
    if (id !== app.id) throw notFound(`App not found: ${id}`)
    return respondWith(session, app, { shape: appShape, absent: maskOf(Object.keys(app).join(' ')) })
  },
  'accessproposals.list'(session, { part }) {
    session.find(part('fileId'))
    return { accessProposals: [] }
  },
  'files.listLabels'(session, { part }) {
    session.find(part('fileId'))
    return { kind: 'drive#labelList', labels: [] }
  },
}

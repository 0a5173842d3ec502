import { getDrive, listDrives } from '../drives/drives.ts'
import { fileMethods } from '../files/file-methods.ts'
import { required } from '../http/errors.ts'
import { aboutShape, applyMask, includesField, parseMask } from '../http/field-masks.ts'
import { usageOf } from '../http/quota.ts'
import { defineMethods, type DriveEndpoint } from '../session/methods.ts'
import type { Session } from '../session/session.ts'
import { permissionMethods } from '../sharing/permission-methods.ts'
/** The methods used by the servers, under `/drive/v3`. */
const endpoints = defineMethods({
  'about.get': about,
  ...fileMethods,
  ...permissionMethods,
  'drives.list': listDrives,
  'drives.get': (session, { part }) => getDrive(session, part('driveId')),
})

/** All emulated methods. Those that the servers do not use are loaded on first use. */
export const allEndpoints = async (): Promise<readonly DriveEndpoint[]> => [
  ...endpoints,
  ...defineMethods((await import('./further-methods.ts')).furtherMethods),
]

/** A method by its name; undefined if it is not emulated. */
export const findEndpoint = async (name: string): Promise<DriveEndpoint | undefined> =>
  endpoints.find((endpoint) => endpoint.name === name) ?? (await allEndpoints()).find((endpoint) => endpoint.name === name)

/** `GET /drive/v3/about`, the only method that requires `fields`. */
async function about(session: Session): Promise<unknown> {
  const { store, params, storageLimit, user } = session
  const fields = params.text('fields')
  if (fields === undefined) throw required('fields', "The 'fields' parameter is required for this method.")
  const mask = parseMask(fields, aboutShape)
  const usage = usageOf(store, store.viewer.id)
  return applyMask(
    {
      kind: 'drive#about',
      user: user(store.viewer.id),
      storageQuota: {
        ...(storageLimit !== null && { limit: String(storageLimit) }),
        usage: String(usage.bytes),
        usageInDrive: String(usage.bytes),
        usageInDriveTrash: String(usage.trashed),
      },
      maxUploadSize: '5242880000000',
      appInstalled: true,
      canCreateDrives: true,
      canCreateTeamDrives: true,
      folderColorPalette: ['#ac725e', '#0f9d58', '#4986e7'],
      importFormats: { 'text/plain': ['application/vnd.google-apps.document'] },
      ...(includesField(mask, 'exportFormats') && { exportFormats: (await import('../files/exports.ts')).exportedTypes }),
      maxImportSizes: { 'application/vnd.google-apps.document': '10485760' },
    },
    mask,
  )
}

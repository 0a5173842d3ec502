import { aboutShape, generatedIdsShape, applyMask, parseMask } from './field-masks.ts'
import { newIds } from './ids.ts'
import { invalidParameter, required } from './errors.ts'
import type { Session } from './session.ts'
import { usageOf } from './quota.ts'

/** `GET /drive/v3/about`, the only method that requires `fields`. */
export function about(session: Session): unknown {
  const { store, params, storageLimit, user, surface } = session
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
      exportFormats: surface?.exportFormats ?? { 'application/vnd.google-apps.document': ['text/plain', 'application/pdf'] },
      maxImportSizes: { 'application/vnd.google-apps.document': '10485760' },
    },
    mask,
  )
}

/** `GET /drive/v3/files/generateIds` */
export async function generateIds({ params, store }: Session): Promise<unknown> {
  const count = params.whole('count', { usual: 10, largest: 1000 })
  const space = params.text('space') ?? 'drive'
  if (space !== 'drive') throw invalidParameter('space', `Invalid value '${space}'. Allowed values are: [drive]`)
  if ((params.text('type') ?? 'files') !== 'files') throw invalidParameter('type', 'Ids can be generated for files only.')
  const fields = params.text('fields')
  const answer = { kind: 'drive#generatedIds', space, ids: await store.write(() => newIds(store, count)) }
  return applyMask(answer, fields === undefined ? 'all' : parseMask(fields, generatedIdsShape))
}

import { applyMask } from '../http/field-masks.ts'
import { parseOptionalObject } from '../http/parameters.ts'
import type { Answers } from '../session/methods.ts'
import { getPermission, getPermissionList, parsePermissionMask } from './permission-resource.ts'
import { changePermissions, createPermission, deletePermission, updatePermission } from './permission-write.ts'
/** Methods for permissions: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions. */
export const permissionMethods: Answers = {
  'permissions.list': (session, { part }) => getPermissionList(session, part('fileId')),
  'permissions.get': (session, { part }) => getPermission(session, part('fileId'), part('permissionId')),
  async 'permissions.create'(session, { part, body }) {
    const mask = parsePermissionMask(session)
    const fileId = part('fileId')
    const create = () => createPermission(session, fileId, parseOptionalObject(body()))
    return applyMask(await changePermissions(session, 'permissions.create', fileId, create), mask)
  },
  async 'permissions.update'(session, { part, body }) {
    const mask = parsePermissionMask(session)
    const target = { fileId: part('fileId'), permissionId: part('permissionId') }
    const update = () => updatePermission(session, target, parseOptionalObject(body()))
    return applyMask(await changePermissions(session, 'permissions.update', target.fileId, update), mask)
  },
  async 'permissions.delete'(session, { part }) {
    const target = { fileId: part('fileId'), permissionId: part('permissionId') }
    await changePermissions(session, 'permissions.delete', target.fileId, () => {
      deletePermission(session, target)
    })
  },
}

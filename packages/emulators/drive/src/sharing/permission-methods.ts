import { applyMask } from '../http/field-masks.ts'
import { readScopes, writeScopes } from '../oauth/tokens.ts'
import { defineMethod, type DriveEndpoint } from '../session/methods.ts'
import { getPermission, getPermissionList, parsePermissionMask } from './permission-resource.ts'
import { changePermissions, createPermission, deletePermission, parsePermissionBody, updatePermission } from './permission-write.ts'
/** Methods for permissions: https://developers.google.com/workspace/drive/api/reference/rest/v3/permissions. */
export const permissionMethods: readonly DriveEndpoint[] = [
  defineMethod('permissions.list', {
    scopes: readScopes,
    cost: 'list',
    answer: (session, { part }) => getPermissionList(session, part('fileId')),
  }),
  defineMethod('permissions.get', {
    scopes: readScopes,
    cost: 'get',
    answer: (session, { part }) => getPermission(session, part('fileId'), part('permissionId')),
  }),
  defineMethod('permissions.create', {
    scopes: writeScopes,
    cost: 'edit',
    async answer(session, { part, body }) {
      const mask = parsePermissionMask(session)
      const fileId = part('fileId')
      const create = () => createPermission(session, fileId, parsePermissionBody(body()))
      return applyMask(await changePermissions(session, 'permissions.create', fileId, create), mask)
    },
  }),
  defineMethod('permissions.update', {
    scopes: writeScopes,
    cost: 'edit',
    async answer(session, { part, body }) {
      const mask = parsePermissionMask(session)
      const target = { fileId: part('fileId'), permissionId: part('permissionId') }
      const update = () => updatePermission(session, target, parsePermissionBody(body()))
      return applyMask(await changePermissions(session, 'permissions.update', target.fileId, update), mask)
    },
  }),
  defineMethod('permissions.delete', {
    scopes: writeScopes,
    cost: 'edit',
    async answer(session, { part }) {
      const target = { fileId: part('fileId'), permissionId: part('permissionId') }
      await changePermissions(session, 'permissions.delete', target.fileId, () => {
        deletePermission(session, target)
      })
    },
  }),
]

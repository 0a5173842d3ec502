import { endpointTool } from './endpoint.ts'

export const identifyPersonAndAssignTraits = endpointTool({
  name: 'IdentifyPersonAndAssignTraits',
  title: 'Identify a person and assign traits',
  purpose: 'Identify a person and assign traits to them.',
  call: 'identify',
  effect: 'update',
  strictness: ['enable_strict_validation', 'True'],
})

export const addToGroup = endpointTool({
  name: 'AddToGroup',
  title: 'Add a person to a group',
  purpose: 'Add a person to a group, and assign traits to the group.',
  call: 'group',
  effect: 'update',
  strictness: ['enable_strict_validation', '1'],
})

export const aliasUserIdentity = endpointTool({
  name: 'AliasUserIdentity',
  title: 'Merge two identities',
  purpose: 'Reconcile an anonymous id with an identified user id, for the destinations that need it. The two cannot be parted again.',
  call: 'alias',
  effect: 'create',
  destructive: true,
  strictness: ['enable_strict_validation', 'True'],
})

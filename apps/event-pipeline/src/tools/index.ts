import { endpointTool } from './endpoint.ts'

/** One tool for each operation of the Pipelines API. The name and the value of each strictness parameter are part of the specification. */
export const tools = [
  endpointTool({
    name: 'IdentifyPersonAndAssignTraits',
    title: 'Identify a person and assign traits',
    purpose: 'Identify a person and assign traits to them.',
    call: 'identify',
    effect: 'update',
    strictness: { name: 'enable_strict_validation', enabling: 'True' },
  }),
  endpointTool({
    name: 'TrackUserEvent',
    title: 'Record a user event',
    purpose: 'Record an event of a user with its properties. Some event names are reserved and do more: "User Deleted" deletes the person.',
    call: 'track',
    effect: 'create',
    destructive: true,
    strictness: { name: 'enable_strict_validation', enabling: 'True' },
  }),
  endpointTool({
    name: 'SendPageViewEvent',
    title: 'Send a page view',
    purpose: 'Record that a person viewed a page.',
    call: 'page',
    effect: 'create',
    strictness: { name: 'enable_strict_mode', enabling: '1' },
  }),
  endpointTool({
    name: 'SendScreenViewEvent',
    title: 'Send a screen view',
    purpose: 'Record that a person viewed a screen of a mobile app.',
    call: 'screen',
    effect: 'create',
    strictness: { name: 'enable_strict_validation', enabling: '1' },
  }),
  endpointTool({
    name: 'AddToGroup',
    title: 'Add a person to a group',
    purpose: 'Add a person to a group, and assign traits to the group.',
    call: 'group',
    effect: 'update',
    strictness: { name: 'enable_strict_validation', enabling: '1' },
  }),
  endpointTool({
    name: 'AliasUserIdentity',
    title: 'Merge two identities',
    purpose: 'Reconcile an anonymous id with an identified user id, for the destinations that need it. The two cannot be separated again.',
    call: 'alias',
    effect: 'create',
    destructive: true,
    strictness: { name: 'enable_strict_validation', enabling: 'True' },
  }),
  endpointTool({
    name: 'SendBatchRequests',
    title: 'Send several calls in one batch',
    purpose: 'Send several identify, track, page, screen, group and alias calls in one request.',
    call: 'batch',
    effect: 'create',
    destructive: true,
    strictness: { name: 'enable_strict_mode', enabling: 'True' },
  }),
]

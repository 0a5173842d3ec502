import { endpointTool } from './endpoint.ts'

export const trackUserEvent = endpointTool({
  name: 'TrackUserEvent',
  title: 'Record a user event',
  purpose: 'Record an event of a user with its properties. Some event names are reserved and do more: "User Deleted" deletes the person.',
  call: 'track',
  effect: 'create',
  destructive: true,
  strictness: ['enable_strict_validation', 'True'],
})

export const sendPageViewEvent = endpointTool({
  name: 'SendPageViewEvent',
  title: 'Send a page view',
  purpose: 'Record that a person viewed a page.',
  call: 'page',
  effect: 'create',
  strictness: ['enable_strict_mode', '1'],
})

export const sendScreenViewEvent = endpointTool({
  name: 'SendScreenViewEvent',
  title: 'Send a screen view',
  purpose: 'Record that a person viewed a screen of a mobile app.',
  call: 'screen',
  effect: 'create',
  strictness: ['enable_strict_validation', '1'],
})

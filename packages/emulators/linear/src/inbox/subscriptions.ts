import { stringAt } from '@mcp-toolkits/emulator'
import { entity } from '../engine/crud.ts'
import { ownOnly } from '../engine/entity-module.ts'
import { capitalize } from '../engine/records.ts'
import { badArgument } from '../errors.ts'

const subscriptionTargets = ['customView', 'customer', 'cycle', 'initiative', 'label', 'project', 'team', 'user'] as const

/** Subscriptions to notifications about an entity. */
export const subscriptions = entity('NotificationSubscription', {
  defaults(_session, values) {
    const target = subscriptionTargets.find((name) => typeof values[`${name}Id`] === 'string')
    if (target === undefined) throw badArgument('A subscription needs a target, such as projectId.')
    return { active: true, kind: `${capitalize(target)}NotificationSubscription` }
  },
  queries: {
    notificationSubscriptions: ownOnly('NotificationSubscription', 'subscriberId'),
    customViewHasSubscribers: (_, args, session) => ({
      hasSubscribers: session.count('NotificationSubscription', 'a.customViewId = :id', { id: stringAt(args, 'id') }) > 0,
    }),
  },
})

import * as given from './inputs.ts'
import type { Part } from './noun.ts'
import { notFound } from './refusals.ts'
import { text } from './values.ts'

/** Reading and snoozing notifications. */
export const notificationWrites: Part = {
  sdl: `
type NotificationPayload { lastSyncId: Float!  notification: Notification!  success: Boolean! }
input NotificationUpdateInput { readAt: DateTime  snoozedUntilAt: DateTime }
extend type Mutation {
  notificationUpdate(id: String!, input: NotificationUpdateInput!): NotificationPayload!
}`,
  resolvers: {
    Mutation: {
      notificationUpdate(_, args, session) {
        const before = given.entity(session, 'Notification', { id: args['id'], key: 'id' })
        if (before['userId'] !== session.viewerId) throw notFound('Notification')
        const input = given.inputOf(args)
        const changes = {
          readAt: given.momentOf(input, 'readAt', session.now),
          snoozedUntilAt: given.momentOf(input, 'snoozedUntilAt', session.now),
        }
        return { notification: session.update('Notification', text(before, 'id'), changes) }
      },
    },
  },
}

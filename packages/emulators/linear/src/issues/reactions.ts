import { stringAt } from '@mcp-toolkits/emulator'
import { entity } from '../engine/crud.ts'
import type { FieldResolver } from '../engine/entity-module.ts'
import { badArgument, forbidden } from '../errors.ts'

const reactionTargets = ['commentId', 'issueId', 'projectUpdateId', 'initiativeUpdateId']

/** Reactions to comments, issues and updates. */
export const reactions = entity('Reaction', {
  check(_session, values) {
    if (reactionTargets.filter((key) => typeof values[key] === 'string').length !== 1)
      throw badArgument(`Exactly one of ${reactionTargets.join(', ')} must be given.`)
    return undefined
  },
  beforeRemoval(session, row) {
    if (row['userId'] !== session.viewerId) throw forbidden('You can only delete your own reactions.')
  },
})

/** The reactions to a comment, issue or update, by emoji. */
export const reactionData =
  (key: string): FieldResolver =>
  (source, _, session) => {
    const all = session.select('Reaction', `where a.${key} = :id order by a.createdAt`, { id: stringAt(source, 'id') })
    const emojis = [...new Set(all.map((each) => stringAt(each, 'emoji')))]
    return emojis.map((emoji) => ({
      emoji,
      reactions: all
        .filter((each) => each['emoji'] === emoji)
        .map((each) => ({ id: each.id, userId: each['userId'], reactedAt: each['createdAt'] })),
    }))
  }

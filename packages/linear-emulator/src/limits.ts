import type { Part } from './noun.ts'

/** What the caller may still ask for. */
export const limits: Part = {
  sdl: `
type RateLimitPayload { identifier: String  kind: String!  limits: [RateLimitResultPayload!]! }
type RateLimitResultPayload {
  type: String!  requestedAmount: Float!  allowedAmount: Float!  period: Float!  remainingAmount: Float!  reset: Float!
}
extend type Query { rateLimitStatus: RateLimitPayload! }`,
  resolvers: {
    Query: {
      rateLimitStatus: (_source, _args, session) => ({ identifier: session.viewerId, kind: 'user', limits: session.budget() }),
    },
  },
}

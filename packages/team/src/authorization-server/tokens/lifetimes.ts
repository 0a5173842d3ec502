const minute = 60
const day = 24 * 60 * minute

/** Lifetimes, in seconds, of everything that the authorization server issues. */
export const lifetimes = {
  /** Short, because an access token cannot be revoked. */
  accessToken: 10 * minute,
  code: minute,
  /** Time that a person has to consent and sign in. */
  interaction: 10 * minute,
  /** An unused refresh token. */
  refreshToken: 30 * day,
  /** Lifetime of a replaced refresh token whose successor is unused. */
  refreshGrace: 5 * minute,
  /** Lifetime of everything based on one sign-in: after that, the person signs in again. */
  authorization: 90 * day,
  /** Lifetimes of a self-registered client: until a person signs in with it, and then between uses. */
  newClient: 60 * minute,
  client: 90 * day,
} as const

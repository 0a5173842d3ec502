const minute = 60
const day = 24 * 60 * minute

/** Lifetimes of everything that the authorization server issues, in seconds. */
export const lifetimes = {
  /** An access token cannot be revoked, so it ends soon. */
  accessToken: 10 * minute,
  code: minute,
  /** Time for a person to agree and to sign in. */
  interaction: 10 * minute,
  /** A refresh token that is not used. */
  refreshToken: 30 * day,
  /** One that was replaced, and whose successor is not used. */
  refreshGrace: 5 * minute,
  /** Everything that follows from one sign-in: then the person signs in again. */
  authorization: 90 * day,
  /** A client that has registered itself, until a person signs in with it, and after that from one use to the next. */
  newClient: 60 * minute,
  client: 90 * day,
} as const

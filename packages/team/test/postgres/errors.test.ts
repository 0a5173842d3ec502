import { expect, it } from 'vitest'
import { isConnectionLost, toDatabaseError } from '../../src/postgres/errors.ts'

/** Messages from pg, which has no code for a timeout. */
const timeouts = ['Query read timeout', 'timeout exceeded when trying to connect']

it.each(timeouts)('a database that may be slow is not said to be away: %s', (text) => {
  const error = new Error(text)
  // A change may have taken effect, and the connection is not used again.
  expect(isConnectionLost(error)).toBe(true)
  expect(toDatabaseError(error, 'postgres://db/x')).toMatchObject({
    problem: 'unreachable',
    message: 'The database postgres://db/x did not answer in time.',
  })
})

it('a database that ends the connection is said to be away', () => {
  const error = new Error('Connection terminated unexpectedly')
  expect(toDatabaseError(error, 'postgres://db/x')).toMatchObject({ message: 'The database postgres://db/x cannot be reached.' })
})

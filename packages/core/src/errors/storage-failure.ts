import { Unavailable } from './errors.ts'
import { Message, sentence } from './message.ts'
import { isSystemError, storeErrorCode } from './system-error.ts'

/** The typed error for an unusable database, or an unusable file in the data directory; undefined for a defect. */
export function storageFailure(error: unknown, dataDirectory?: string): Unavailable | undefined {
  if (!isSystemError(error)) return undefined
  if (error.code !== storeErrorCode) {
    const where = dataDirectory === undefined ? 'The data directory' : `The data directory ${dataDirectory}`
    return new Unavailable(Message.split(Message.of(`${where} cannot be used (${error.code}).`, chooseAnother), unusable), {
      retryable: false,
    })
  }
  const problem = 'problem' in error ? error.problem : undefined
  if (problem === 'locked' || problem === 'unreachable')
    return new Unavailable(Message.split(error.message, 'The store of this server cannot be used now.').and('Try again in a moment.'), {
      retryAfterSeconds: 1,
    })
  // The records of earlier calls are lost, so the caller must check what those did.
  const [forOperator, forAll] = problem === 'set_aside' ? ['', setAside] : [remedies.get(problem) ?? chooseAnother, '']
  return new Unavailable(Message.split(Message.of(error.message, forOperator), unusable).and(forAll), { retryable: false })
}

const option = '--data-dir'
const chooseAnother = sentence`Choose another one with ${{ option }}.`
const orElsewhere = (remedy: string) => sentence`${remedy}, or choose another data directory with ${{ option }}.`

const unusable = 'The store of this server cannot be used. Its operator finds the reason in its log.'
const setAside = 'If this call repeats an earlier one, look first whether that has created what it should. Then make it again.'

/** The operator's remedy for each problem. */
const remedies = new Map<unknown, Message>([
  ['newer', orElsewhere('Update this server')],
  [
    'corrupt',
    sentence`Stop the servers that use it and move it away together with its -wal and -shm files; the next start makes a new one. Or choose another data directory with ${{ option }}.`,
  ],
  ['seed', sentence`Correct that, or start with another ${{ option: '--seed' }}.`],
  ['full', Message.of('Free some space, then repeat the call.')],
  ['read_only', orElsewhere('Make it writable')],
  ['link', orElsewhere('Put the file itself there')],
  ['gone', Message.of('Restart the server; it then uses the file that is there, or makes a new one.')],
  [
    'schema_missing',
    sentence`Restart the server: it creates the missing tables. If that fails, check that ${{ option: '--store' }} names the right database and schema.`,
  ],
  ['denied', Message.of('Check the name of the database, and the role, its password and its rights.')],
  [
    'sealed',
    sentence`Give ${{ variable: 'MCP_TOOLKITS_VAULT_KEYS' }} every key with which the database was written, the present one first, and restart the server.`,
  ],
  ['unusable', orElsewhere('Check the permissions and the disk')],
])

/** An in-process emulator's fetch, except that it throws database failures as typed errors. */
export function withStorageFailures<Input, Init, Result>(
  fetch: (input: Input, init?: Init) => Promise<Result>,
): (input: Input, init?: Init) => Promise<Result> {
  return async (input, init) => {
    try {
      return await fetch(input, init)
    } catch (error) {
      throw storageFailure(error) ?? error
    }
  }
}

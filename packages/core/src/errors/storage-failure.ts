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
    return new Unavailable(Message.split(error.message, "This server's store cannot be used right now.").and('Try again in a moment.'), {
      retryAfterSeconds: 1,
    })
  // The records of earlier calls are lost, so the caller must check what those calls did.
  const [forOperator, forAll] = problem === 'set_aside' ? ['', setAside] : [remedies.get(problem) ?? chooseAnother, '']
  return new Unavailable(Message.split(Message.of(error.message, forOperator), unusable).and(forAll), { retryable: false })
}

const option = '--data-dir'
const chooseAnother = sentence`Choose another one with ${{ option }}.`
const orElsewhere = (remedy: string) => sentence`${remedy}, or choose another data directory with ${{ option }}.`

const unusable = "This server's store cannot be used. The server's log tells its operator why."
const setAside =
  'If this call repeats an earlier one, first check whether the earlier call created what it should have. Then make this call again.'

/** The operator's remedy for each problem. */
const remedies = new Map<unknown, Message>([
  ['newer', orElsewhere('Update this server')],
  [
    'corrupt',
    sentence`Stop the servers that use the file, and move it away together with its -wal and -shm files; the next start creates a new one. Or choose another data directory with ${{ option }}.`,
  ],
  ['seed', sentence`Correct that, or start with another ${{ option: '--seed' }}.`],
  ['full', Message.of('Free some space, then repeat the call.')],
  ['read_only', orElsewhere('Make it writable')],
  ['link', orElsewhere('Put the file itself there')],
  ['gone', Message.of('Restart the server: it uses the file that is now at that path, or creates a new one.')],
  [
    'schema_missing',
    sentence`Restart the server: it creates the missing tables. If that fails, check that ${{ option: '--store' }} names the right database and schema.`,
  ],
  ['denied', Message.of('Check the database name, and the role with its password and privileges.')],
  [
    'sealed',
    sentence`Give ${{ variable: 'MCP_TOOLKITS_VAULT_KEYS' }} every key that the database was written with, the current one first, and restart the server.`,
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

/** A command line that cannot be carried out; printed, with exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

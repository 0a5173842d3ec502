/** Reason that ends a call whose task was cancelled: its work must not continue in the background either. */
export class TaskCancelled extends Error {
  override readonly name = 'TaskCancelled'
}

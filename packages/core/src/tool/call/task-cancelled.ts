/** Reason that ends a call whose task was cancelled: its work must not go on in the background either. */
export class TaskCancelled extends Error {
  override readonly name = 'TaskCancelled'
}

/** Reason why a call is ended whose task its caller has cancelled: work that goes on without a call ends too. */
export class TaskCancelled extends Error {
  override readonly name = 'TaskCancelled'
}

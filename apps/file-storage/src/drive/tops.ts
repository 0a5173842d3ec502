/** Shared drives, and My Drive, have ids of another form than what lies in them. */
const form = /^0A[\w-]{17}$/

/** Whether an id has the form of a drive's, whose top folder has the same id: everything in a drive has a longer one. */
export function hasFormOfTop(id: string): boolean {
  return form.test(id)
}

/** Whether a login can be kept under this name, which becomes part of a file's name. */
export function isProfileName(name: string): boolean {
  return /^[A-Za-z0-9][\w.-]{0,63}$/.test(name)
}

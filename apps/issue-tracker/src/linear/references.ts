const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i
const issueAddress = /^(?:https?:\/\/)?linear\.app\/[^/\s]+\/issue\/([a-z][a-z0-9]*-\d+)(?![^/?#])/i
const projectAddress = /^(?:https?:\/\/)?linear\.app\/[^/\s]+\/project\/([^/?#\s]+)/i
/** Linear's slugs end an address, behind the name: `billing-rewrite-1a2b3c4d5e6f`. */
const slug = /^(?:[^/\s]*-)?([0-9a-f]{12})$/i

/** Whether a text is a UUID; Linear may refuse others where it compares ids. */
export function isUuid(text: string): boolean {
  return uuid.test(text)
}

/** A reference as it is compared: blanks around it and the way its accents are composed say nothing. */
export function tidy(reference: string): string {
  return reference.trim().normalize('NFC')
}

/** The workspace whose page a text is the address of; undefined for any other text. */
export function workspaceIn(text: string): string | undefined {
  return /^\s*(?:https?:\/\/)?linear\.app\/([^/?#\s]+)/i.exec(text)?.[1]?.toLowerCase()
}

/** What a caller wrote, as a message repeats it: not more than 80 letters of it. */
export function quoted(text: string): string {
  const letters = Array.from(text)
  return JSON.stringify(letters.length > 80 ? `${letters.slice(0, 80).join('')}…` : text)
}

/** An issue as Linear takes it, by identifier or id; from the address of its page too, which people paste. */
export function issueNamed(given: string): string {
  const wanted = tidy(given)
  return issueAddress.exec(wanted)?.[1] ?? wanted
}

/** A project as Linear takes it, by slug or id; from the address of its page too, or from the end of one. */
export function projectNamed(given: string): string {
  const wanted = tidy(given)
  const last = projectAddress.exec(wanted)?.[1] ?? wanted
  return slugIn(last) ?? last
}

/** The slug that a text is or ends with; undefined for an id, which could be read as one. */
export function slugIn(text: string): string | undefined {
  return isUuid(text) ? undefined : slug.exec(text)?.[1]
}

/** Kind of file that has text. */
export type DocumentKind = 'text' | 'pdf' | 'document' | 'spreadsheet' | 'slides'

/** Reason why a file gives no text. */
export type Refusal =
  /** It opens only with a password. */
  | 'encrypted'
  /** A PDF whose pages are pictures. */
  | 'scanned'
  /** A picture, a sound or a film. */
  | 'media'
  /** Neither text nor a supported format. */
  | 'unknown'
  /** An office document in a format from before 2007. */
  | 'old'
  | 'broken'
  | 'too_large'

/** Reasons that complete a sentence beginning with the file's name; the one for large files names no limit. */
export const refusalReasons: Readonly<Record<Refusal, string>> = {
  encrypted: 'opens only with a password, so its text cannot be read.',
  scanned: 'is a PDF of pictures, such as a scan, and has no text.',
  media: 'is a picture, a sound or a film, and has no text.',
  unknown: 'is neither text nor a document whose text can be read.',
  old: 'is in a format of Office before 2007, which cannot be read.',
  broken: 'is damaged, or not in the format that its name suggests, so its text cannot be read.',
  too_large: 'is too large to be read, or would be when unpacked.',
}

/** Thrown to stop reading a file that gives no text. */
export class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal)
    this.refusal = refusal
  }
}

/** A file's text, and the numbers of PDF pages without text. */
export interface Extracted {
  readonly kind: DocumentKind
  readonly text: string
  readonly pagesWithoutText?: readonly number[]
}

/** Facts about a file besides its bytes. */
export interface FileFacts {
  readonly mediaType: string
  readonly name: string
}

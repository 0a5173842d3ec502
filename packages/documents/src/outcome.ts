/** Form of a file that has text. */
export type DocumentKind = 'text' | 'pdf' | 'document' | 'spreadsheet' | 'slides'

/** Reason why a file gives no text. */
export type Refusal =
  /** It opens with a password only. */
  | 'encrypted'
  /** A PDF whose pages are pictures. */
  | 'scanned'
  /** A picture, a sound or a film. */
  | 'media'
  /** Neither text nor a form that is read here. */
  | 'unknown'
  /** An office document of the time before 2007. */
  | 'old'
  /** Its form is damaged. */
  | 'broken'
  /** It needs more than the bounds allow. */
  | 'too_large'

/** Reasons as the rest of a sentence that begins with the name of the file; one that is too large has no bound here. */
export const refusalReasons: Readonly<Record<Refusal, string>> = {
  encrypted: 'opens only with a password, so its text cannot be read.',
  scanned: 'is a PDF of pictures, such as a scan, and has no text.',
  media: 'is a picture, a sound or a film, and has no text.',
  unknown: 'is neither text nor a document whose text can be read.',
  old: 'is in a format of Office before 2007, which cannot be read.',
  broken: 'is damaged, or not in the format that its name says, so its text cannot be read.',
  too_large: 'is too large to be read, or would be when unpacked.',
}

/** Ends the reading of a file. */
export class Refused extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal)
    this.refusal = refusal
  }
}

/** Text of a file, and the numbers of the pages of a PDF that have none. */
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

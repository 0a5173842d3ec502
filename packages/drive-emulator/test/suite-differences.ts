const page = 'https://developers.google.com/workspace/drive/api/guides/v3versusv2'

/** How many tests of google-drive-mock 1.2.0 pass. */
export const passingTests = 59

/** Why tests of google-drive-mock fail against the emulator. */
export interface SuiteDifference {
  readonly why: string
  /** Where Google says so. */
  readonly page: string
  /** How many tests fail for this reason. */
  readonly tests: number
  /** The names of these tests, each after its file. */
  readonly names: RegExp
}

/** The first one whose names fit is the reason. */
export const differences: readonly SuiteDifference[] = [
  {
    why: 'They take an ETag from version 2 for a write in version 3, whose files have none.',
    page,
    tests: 2,
    names: /^(?:dates_and_sorting.*If-Match$|v3_parity.*ETag from V2)/,
  },
  {
    why: 'They call version 2 of the API, which is not emulated: version 3 is the current one.',
    page,
    tests: 47,
    names: /V2|^v2_|\(v2\)$|^mime_types.*if no MIME type provided$|^missing_fields.*EMPTY file$/,
  },
]

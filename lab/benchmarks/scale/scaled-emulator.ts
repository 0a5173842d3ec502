/** A page of the workspace, or a query of the vendor's API. */
export interface ScaleRequest {
  readonly kind: 'page' | 'query'
  readonly name: string
  readonly path: string
  /** `GET` when absent. */
  readonly method?: 'GET' | 'POST' | 'PATCH'
  /** The body of the request with this number, as JSON. */
  readonly body?: (number: number) => unknown
}

/** An emulator with as many records as are wanted. */
export interface ScaledEmulator {
  readonly name: 'linear-emulator' | 'drive-emulator' | 'pipelines-emulator'
  readonly records: string
  /** How many are many. */
  readonly count: number
  /** Its database in the data directory. */
  readonly file: string
  /** What its API wants in the header of that name. */
  readonly authorization: string
  /** Makes a database with so many records. */
  readonly plant: (file: string, count: number) => Promise<void>
  /** What is measured, by the ids that are in the database. */
  readonly requests: (file: string) => readonly ScaleRequest[]
}

/** Something in a body that the vendor would drop, ignore or refuse; `at` is the path, empty for the body itself. */
export interface Finding {
  readonly at: string
  readonly problem: string
}

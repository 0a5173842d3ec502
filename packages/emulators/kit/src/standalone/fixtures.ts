/** Hands a test its fixture, and resolves when the test is over. */
export type Use<Value> = (value: Value) => Promise<void>

/** The fixtures of an emulator, for `test.extend`, without their names: Vitest reads these from the source of the functions. */
export interface Fixtures<Opened, Options> {
  /** Opens an emulator, and closes it in the end. */
  readonly opened: (options: Options, use: Use<Opened>) => Promise<void>
  /** Resets the emulator of a file; snapshots stay. */
  readonly reset: (ofFile: Opened, use: Use<Opened>) => Promise<void>
}

export const fixtures = <Opened extends { readonly reset: () => void; readonly close: () => Promise<void> }, Options>(
  open: (options: Options) => Opened,
): Fixtures<Opened, Options> => ({
  async opened(options, use) {
    const emulator = open(options)
    await use(emulator)
    await emulator.close()
  },
  async reset(ofFile, use) {
    ofFile.reset()
    await use(ofFile)
  },
})

/** A fixture that the tests of a file share. */
export const perFile = <Value>(value: Value): [Value, { scope: 'file' }] => [value, { scope: 'file' }]

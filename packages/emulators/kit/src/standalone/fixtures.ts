/** Hands a test its fixture, and resolves when the test is over. */
export type Use<Value> = (value: Value) => Promise<void>

/** An emulator's fixtures for `test.extend`. The caller names them, because Vitest reads names from the functions' source. */
export interface Fixtures<Opened, Options> {
  /** Opens an emulator, and closes it at the end. */
  readonly opened: (options: Options, use: Use<Opened>) => Promise<void>
  /** Resets a test file's emulator, but keeps its snapshots. */
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

/** A fixture shared by a file's tests. */
export const perFile = <Value>(value: Value): [Value, { scope: 'file' }] => [value, { scope: 'file' }]

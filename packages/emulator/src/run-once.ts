/** Runs `work` at the first call alone; later calls get the same promise. */
export function runOnce<T>(work: () => Promise<T>): () => Promise<T> {
  let result: Promise<T> | undefined
  return () => (result ??= work())
}

/** What comes of `work`, unless the caller gives up first: then the signal's reason. The work goes on, for others may wait for it. */
export async function until<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted()
  const { promise, reject } = Promise.withResolvers<never>()
  const stop = () => {
    reject(signal.reason instanceof Error ? signal.reason : new DOMException('The caller gave up.', 'AbortError'))
  }
  signal.addEventListener('abort', stop, { once: true })
  try {
    return await Promise.race([work, promise])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

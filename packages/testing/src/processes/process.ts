/** This process's variables that child processes need. */
export function baseEnvironment(): Record<string, string> {
  const { PATH = '', HOME = '', NODE_EXTRA_CA_CERTS: certificates } = process.env
  return { PATH, HOME, ...(certificates !== undefined && { NODE_EXTRA_CA_CERTS: certificates }) }
}

/** Collects a stream's text. */
export function collectOutput(stream: NodeJS.ReadableStream) {
  let all = ''
  const looks = new Set<() => void>()
  stream.setEncoding('utf8').on('data', (chunk: string) => {
    all += chunk
    for (const look of looks) look()
  })
  return {
    all: () => all,
    /** Waits for a match and returns its first group. */
    async match(wanted: RegExp): Promise<string> {
      const { promise, resolve } = Promise.withResolvers<string>()
      const look = () => {
        const found = wanted.exec(all)?.[1]
        if (found !== undefined) resolve(found)
      }
      looks.add(look)
      look()
      return promise.finally(() => looks.delete(look))
    },
  }
}

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { measureStart } from './measure-start.ts'

/** Appends the path of every loaded file to the file in `LOADED`. */
const tracer = `data:text/javascript,${encodeURIComponent(`
  import { appendFileSync } from 'node:fs'
  import { registerHooks } from 'node:module'
  import { fileURLToPath } from 'node:url'
  registerHooks({ load(url, context, next) {
    if (url.startsWith('file:')) appendFileSync(process.env.LOADED, fileURLToPath(url) + '\\n')
    return next(url, context)
  } })
`)}`

/** The files that a Node program loads, in order. `run` starts it in the given environment. */
export async function traceFiles(run: (environment: Readonly<Record<string, string>>) => Promise<unknown>): Promise<string[]> {
  const directory = mkdtempSync(path.join(tmpdir(), 'loaded-'))
  try {
    const loaded = path.join(directory, 'loaded')
    await run({
      PATH: process.env['PATH'] ?? '',
      NODE_OPTIONS: `--import=${tracer}`,
      LOADED: loaded,
      MCP_TOOLKITS_DATA_DIR: path.join(directory, 'data'),
    })
    return readFileSync(loaded, 'utf8').trim().split('\n')
  } finally {
    rmSync(directory, { recursive: true, force: true })
  }
}

/** The files that a server loads until a client has its tools over stdio. */
export async function traceStart(main: string): Promise<string[]> {
  return traceFiles((environment) => measureStart({ main, environment }, 'legacy'))
}

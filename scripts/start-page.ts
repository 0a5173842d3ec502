// The page that leads people to all workspaces that `npm start` serves.
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer } from 'node:http'

export interface ServedServer {
  readonly name: string
  readonly vendor: string
  /** The address of the server's workspace. */
  readonly workspace: string
  /** The address for MCP clients. */
  readonly mcp: string
}

const style = `:root { color-scheme: light dark; font: 1rem/1.5 system-ui, sans-serif }
body { background: light-dark(#fff, #16181d); color: light-dark(#1b1f27, #e8eaee); max-width: 44rem; margin: 2rem auto; padding: 0 1rem }
ul { list-style: none; padding: 0 }
li { border: 1px solid color-mix(in srgb, currentcolor 25%, transparent); border-radius: .6rem; padding: .8rem 1rem; margin: .8rem 0; overflow-wrap: anywhere }
h2, p { margin: 0 }
a { color: light-dark(#0b57d0, #a8c7fa); margin-right: 1rem }
:focus-visible { outline: 3px solid currentcolor; outline-offset: 2px }`

const pages = [
  ['', 'Workspace'],
  ['/calls', 'Calls'],
  ['/requests', 'Requests'],
  ['/reset', 'Reset'],
] as const

const entry = ({ name, vendor, workspace, mcp }: ServedServer) => `<li><h2>${vendor}</h2>
<p>${pages.map(([path, label]) => `<a href="${workspace}${path}" aria-label="${label} of ${vendor}">${label}</a>`).join('')}</p>
<p>${name}, for MCP clients: <code>${mcp}</code></p></li>`

const pageOf = (served: readonly ServedServer[]) => `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>MCP toolkits on this machine</title><link rel="icon" href="data:,"><style>${style}</style></head>
<body><main><h1>MCP toolkits on this machine</h1>
<p>Three servers with sample data. Connect an agent to one and watch what it does in the workspace.</p>
<ul>${served.map(entry).join('\n')}</ul></main></body></html>`

const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; img-src data:; frame-ancestors 'none'`

/** Serves the page on this machine only. Resolves with the address and a function that stops serving. */
export async function serveStartPage(served: readonly ServedServer[], port: number) {
  const page = pageOf(served)
  const server = createServer(({ headers: { host = '' }, method, url }, response) => {
    const isHere = /^(?:127\.0\.0\.1|localhost):\d+$/.test(host) && (method === 'GET' || method === 'HEAD')
    const status = !isHere ? 403 : url === '/' ? 200 : 404
    response.writeHead(status, {
      ...{ 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy, 'cache-control': 'no-store' },
      ...{ 'x-content-type-options': 'nosniff', 'referrer-policy': 'no-referrer' },
    })
    response.end(status === 200 ? page : 'The page is at / on this machine.\n')
  }).listen(port, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const bound = typeof address === 'object' && address !== null ? address.port : port
  return {
    url: `http://127.0.0.1:${bound}/`,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

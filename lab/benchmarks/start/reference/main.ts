// A minimal server on the same SDK, with which starts are compared. Bundled and cached like the servers.
import module from 'node:module'

module.enableCompileCache()
await import('./one-tool.ts')

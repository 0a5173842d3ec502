// A minimal server on the same SDK, as the reference for starts. Bundled and cached like the servers.
import module from 'node:module'

module.enableCompileCache()
await import('./one-tool.ts')

// The least that can be served on the same SDK: what a start of ours is compared with. Bundled and cached like ours.
import module from 'node:module'

module.enableCompileCache()
await import('./one-tool.ts')

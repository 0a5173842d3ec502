// Everything that is measured, one after another. Run after a build.
await import('./baseline.ts')
await import('./transfers.ts')

import path from 'node:path'
import { readJson, toRecord } from './releases.ts'

/** Manifest of a package as it is published. */
export function publishedManifest(folder: string): Record<string, unknown> {
  const source = readJson(path.join(folder, 'package.json'))
  // A published package bundles its dependencies.
  for (const field of ['scripts', 'dependencies', 'devDependencies']) Reflect.deleteProperty(source, field)
  // Some fields differ in the workspace, which uses an emulator from its sources.
  const { access, provenance, ...published } = toRecord(source['publishConfig'])
  return { ...source, ...published, publishConfig: { access, provenance } }
}

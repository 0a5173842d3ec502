import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { packageReleases, root } from '../../releases/releases.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A directory outside the workspace in which every packed package is installed. */
    readonly installation: string
  }
}

/** Packs every built package once for all tests in this folder. */
export default function packOnce({ provide }: TestProject): () => void {
  execFileSync(process.execPath, [path.join(root, 'scripts', 'release', 'pack.ts')], { stdio: 'inherit' })
  const installation = realpathSync(mkdtempSync(path.join(tmpdir(), 'installation-')))
  for (const { name, tarball } of packageReleases) {
    const target = installedIn(installation, name)
    mkdirSync(target, { recursive: true })
    execFileSync('tar', ['xzf', tarball, '-C', target, '--strip-components=1'])
  }
  provide('installation', installation)
  return () => {
    rmSync(installation, { recursive: true })
  }
}

export function installedIn(installation: string, name: string, ...more: readonly string[]): string {
  return path.join(installation, 'node_modules', '@mcp-toolkits', name, ...more)
}

/** The files below a directory, as paths with `/`. */
export function filesIn(directory: string): string[] {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => !entry.isDirectory())
  return entries.map((entry) => path.relative(directory, path.join(entry.parentPath, entry.name)).replaceAll(path.sep, '/')).sort()
}

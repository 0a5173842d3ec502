// Packs every built package for publication: a tarball for npm and, for a server, a bundle for Claude Desktop.
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { publishedManifest } from '../../releases/manifest.ts'
import { emulatorReleases, packed, releases, root, taskRelease, type PackageRelease } from '../../releases/releases.ts'

const shell = process.platform === 'win32'

/** Copies a package's files into an empty directory, adds a manifest and the licence, and packs the directory. */
function packFrom(
  { folder }: PackageRelease,
  files: readonly string[],
  manifest: object,
  packDirectory: (directory: string) => void,
): void {
  const directory = mkdtempSync(path.join(tmpdir(), 'pack-'))
  try {
    for (const file of files) cpSync(path.resolve(folder, file), path.join(directory, path.basename(file)), { recursive: true })
    cpSync(path.join(root, 'LICENSE'), path.join(directory, 'LICENSE'))
    writeFileSync(path.join(directory, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
    packDirectory(directory)
  } finally {
    rmSync(directory, { recursive: true })
  }
}

/** Packs a package for npm and returns its manifest. */
function packTarball(release: PackageRelease, files: readonly string[]): Record<string, unknown> {
  const manifest = publishedManifest(release.folder)
  packFrom(release, files, manifest, (directory) => {
    execFileSync('npm', ['pack', directory, '--pack-destination', packed, '--silent'], { stdio: ['ignore', 'ignore', 'inherit'], shell })
  })
  return manifest
}

rmSync(packed, { recursive: true, force: true })
mkdirSync(packed, { recursive: true })
for (const release of releases) {
  const manifest = packTarball(release, ['dist', 'README.md'])
  const { name, version, license } = manifest
  const ownIcon = path.join(release.folder, 'mcpb', 'icon.png')
  const icon = existsSync(ownIcon) ? ownIcon : path.join(root, 'scripts', 'distribution', 'icon.png')
  packFrom(release, ['dist', 'mcpb/manifest.json', icon], { name, version, license, type: 'module' }, (directory) => {
    rmSync(path.join(directory, 'dist', 'index.d.ts'))
    const mcpb = path.join(root, 'scripts', 'node_modules', '@anthropic-ai', 'mcpb', 'dist', 'cli', 'cli.js')
    execFileSync(process.execPath, [mcpb, 'pack', directory, release.bundle], { stdio: ['ignore', 'ignore', 'inherit'] })
  })
}
for (const release of emulatorReleases) packTarball(release, ['dist', 'README.md', 'seed.schema.json'])
packTarball(taskRelease, ['dist', 'README.md'])
for (const name of readdirSync(packed)) console.log(path.join(path.relative(root, packed), name))

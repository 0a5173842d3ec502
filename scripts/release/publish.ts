// Publishes the packages that the registry does not have: those in PACKAGES. Runs without installed packages, so that the job that is
// allowed to publish runs only this code, Node's and npm's. --without-provenance is for a registry without attestations.
import { execFileSync } from 'node:child_process'
import { isPublished, plannedReleases } from '../../releases/releases.ts'

const provenance = process.argv.includes('--without-provenance') ? '--provenance=false' : '--provenance'

for (const release of plannedReleases()) {
  const already = await isPublished(release)
  if (!already) execFileSync('npm', ['publish', release.tarball, '--access', 'public', provenance], { stdio: 'inherit' })
  console.log(`${release.packageName}@${release.version} ${already ? 'was already published' : 'is published'}.`)
}

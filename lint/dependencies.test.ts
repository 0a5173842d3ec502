import { globSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const root = path.dirname(import.meta.dirname)
const manifests = globSync(['apps/*/package.json', 'packages/*/package.json', 'packages/emulators/*/package.json'], { cwd: root })
const pnpmfile = z
  .object({ hooks: z.object({ readPackage: z.function({ input: [z.unknown()], output: z.unknown() }) }) })
  .parse(createRequire(import.meta.url)('../.pnpmfile.cjs'))
const manifest = z.object({ name: z.string(), dependencies: z.record(z.string(), z.string()).default({}) })
/** Modules that only tests load; an emulator's fixtures for vitest are among them. */
const ofTests = /\.test\.tsx?$|[\\/]test[\\/]|[\\/](?:testing|vitest)\.ts$/

test('every module that a server imports is in dependencies, which are all that `npm start` installs', () => {
  const missing = manifests.flatMap((file) => {
    const folder = path.join(root, path.dirname(file))
    const { name, dependencies } = manifest.parse(pnpmfile.hooks.readPackage(JSON.parse(readFileSync(path.join(root, file), 'utf8'))))
    const known = new Set([name, ...Object.keys(dependencies)])
    const sources = globSync('src/**/*.{ts,tsx}', { cwd: folder }).filter((source) => !ofTests.test(source))
    return sources.flatMap((source) => {
      const imports = readFileSync(path.join(folder, source), 'utf8').matchAll(
        /^(?!import type ).*?(?:\bfrom|\bimport\(?) ?'((?:@[\w-]+\/)?[\w-]+)/gm,
      )
      return [...imports].flatMap(([, module = '']) => (known.has(module) || module === 'node' ? [] : [`${name}: ${module} (${source})`]))
    })
  })
  expect(missing).toEqual([])
})

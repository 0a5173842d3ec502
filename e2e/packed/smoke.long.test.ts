import path from 'node:path'
import { expect, test } from 'vitest'
import { packageReleases, root } from '../../releases/releases.ts'
import { runNode } from '../command.ts'

test('every packed package installs alone and works', { timeout: 300_000 }, async () => {
  const { code, output, errors } = await runNode([path.join(root, 'scripts', 'smoke.ts')])
  expect(code, errors).toBe(0)
  expect(
    output
      .replaceAll(/ works on .*/g, '')
      .trim()
      .split('\n'),
  ).toEqual(packageReleases.map(({ packageName, version }) => `${packageName}@${version}`))
})

import path from 'node:path'
import { expect, inject, test } from 'vitest'
import { packageReleases, root } from '../../releases/releases.ts'
import { runNode } from '../command.ts'
import { installedIn } from './pack-once.ts'

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

test('the packed tasks are listed on one line each', async () => {
  const { output } = await runNode([installedIn(inject('installation'), 'tasks', 'dist', 'main.js'), '--list'])
  expect(output.match(/^[a-z\d-]+ \((?:easy|middle|hard)\): \S.*$/gm)).toHaveLength(60)
  expect(output.trim().split('\n')).toHaveLength(60)
})

import { spawnSync } from 'node:child_process'
import path from 'node:path'
import { expect, test } from 'vitest'

const root = path.dirname(import.meta.dirname)

test('no comment suppresses a rule', () => {
  const { stdout, status } = spawnSync('git', ['grep', '-nE', '(es|ox)lint-(dis|en)able', '--', '*.ts', '*.tsx', '*.mjs'], {
    cwd: root,
    encoding: 'utf8',
  })
  expect({ stdout, status }).toEqual({ stdout: '', status: 1 })
})

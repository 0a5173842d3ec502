#!/usr/bin/env node
// Stands between oxlint and its type-aware half, which has a rule that oxlint cannot name yet: only a class's own instances satisfy it.
// oxlint drops reports under unknown names, so these get a known one, padded with spaces, because frames state their reports' length.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'

const rule = 'no-unsafe-class-instance-assignment'
const { stdout, stderr, status } = spawnSync('tsgolint', process.argv.slice(2), {
  input: readFileSync(0, 'utf8').replaceAll('"rules":[{', `"rules":[{"name":"${rule}"},{`),
  encoding: 'latin1',
  maxBuffer: Infinity,
})
process.stdout.write(stdout.replaceAll(`"rule":"${rule}"`, '"rule":"no-unsafe-assignment"'.padEnd(rule.length + 9)), 'latin1')
process.stderr.write(stderr)
process.exitCode = status ?? 1

#!/usr/bin/env node
// Stands between oxlint and its type-aware half, which has a rule that oxlint cannot name yet: a class is satisfied only by its own instances.
// oxlint drops reports without a name it knows, so this one takes another; spaces keep the lengths that frame the reports.
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

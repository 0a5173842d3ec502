#!/usr/bin/env node
// Runs tsgolint, the type-aware part of oxlint, with a rule that oxlint cannot name yet: only a class's own instances satisfy the class's
// type. oxlint drops reports with unknown names, so these get a known name, padded with spaces, because each frame states its report's
// length.
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

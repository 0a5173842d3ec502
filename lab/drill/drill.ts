import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { baseEnvironment } from '../../packages/testing/src/processes/process.ts'
import type { PostgresServer } from '../../packages/testing/src/postgres/postgres.ts'

/** A procedure that operators rehearse, on real replicas, nginx and PostgreSQL, with an emulator as the vendor. */
export interface Rehearsal {
  readonly title: string
  readonly run: (drill: Drill) => Promise<void>
}

export interface Drill {
  readonly postgres: PostgresServer
  /** Number of replicas for each server, and of replacements by another release. */
  readonly replicas: number
  readonly restarts: number
  /** Prints the next step. */
  readonly step: (text: string) => void
  /** Prints an observation, and fails the rehearsal if the observation contradicts the runbook. */
  readonly see: (text: string, isRight: boolean) => void
  /** Runs one of the operator's commands. */
  readonly operate: (app: string, args: readonly string[], environment: Readonly<Record<string, string>>) => Promise<Finished>
}

export interface Finished {
  readonly code: number
  /** Standard output and standard error. */
  readonly text: string
}

/** Runs a server's built command to completion, with an empty data directory. */
export async function operate(app: string, args: readonly string[], environment: Readonly<Record<string, string>>): Promise<Finished> {
  const main = path.join(import.meta.dirname, '..', '..', 'apps', app, 'dist', 'main.js')
  const directory = await mkdtemp(path.join(tmpdir(), 'drill-'))
  const env = { ...baseEnvironment(), ...environment, MCP_TOOLKITS_DATA_DIR: directory }
  try {
    return await new Promise((resolve) => {
      execFile(process.execPath, [main, ...args], { env }, (error, output, errors) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error ? 1 : 0, text: output + errors })
      })
    })
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}

/** Waits for a condition, for three minutes at most; true if it was met. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<boolean> {
  const end = Date.now() + 180_000
  while (Date.now() < end) {
    if (await isSo()) return true
    await sleep(200)
  }
  return false
}

// Replays the mistaken calls of every server.
import type { MistakenCall, ServerName } from './cases.ts'
import { eventPipelineBodies } from './event-pipeline-bodies.ts'
import { eventPipelineCases } from './event-pipeline.ts'
import { fileStorageNames } from './file-storage-names.ts'
import { fileStorageValues } from './file-storage-values.ts'
import { fileStoragePlaces } from './file-storage.ts'
import { issueTrackerAgents } from './issue-tracker-agents.ts'
import { issueTrackerArguments } from './issue-tracker-arguments.ts'
import { issueTrackerNames } from './issue-tracker-names.ts'
import { issueTrackerWords } from './issue-tracker-words.ts'
import { issueTrackerValues } from './issue-tracker.ts'
import { createReplay, type Judged } from './replay.ts'
import { openWorld } from './worlds.ts'

export const mistakenCalls: Readonly<Record<ServerName, readonly MistakenCall[]>> = {
  'file-storage': [...fileStoragePlaces, ...fileStorageValues, ...fileStorageNames],
  'event-pipeline': [...eventPipelineCases, ...eventPipelineBodies],
  'issue-tracker': [...issueTrackerValues, ...issueTrackerNames, ...issueTrackerArguments, ...issueTrackerAgents, ...issueTrackerWords],
}

/** Replays mistaken calls to one server. */
export async function replayMistakes(server: ServerName, calls: readonly MistakenCall[]): Promise<Judged[]> {
  await using world = await openWorld(server)
  const judge = createReplay(world)
  const judged: Judged[] = []
  for (const mistake of calls) judged.push(await judge(mistake))
  return judged
}

import type { ScaleResults } from './run.ts'

/** What is promised: the time with many records by that with 1,000, and the memory with many, in MB. */
export const allowed = { times: 3, memoryMb: 250 }

/** What does not hold, as sentences. */
export const brokenLimits = ({ emulators }: ScaleResults): string[] =>
  emulators.flatMap(({ name, many, records, rows, memory_mb: memory, peak_mb: peak }) => [
    ...rows
      .filter(({ times }) => times > allowed.times)
      .map((row) => `${name}: ${row.name} takes ${row.times} times as long with ${many} ${records}; the limit is ${allowed.times}.`),
    ...(Math.max(memory, peak ?? 0) > allowed.memoryMb
      ? [`${name}: it takes ${Math.max(memory, peak ?? 0)} MB with ${many} ${records}; the limit is ${allowed.memoryMb}.`]
      : []),
  ])

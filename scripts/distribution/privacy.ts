import type { DistributedServer } from './distributed-server.ts'

/** The privacy section of a README and a bundle. */
export function privacyText({ distribution: { privacy } }: DistributedServer): string {
  return [
    ...privacy.statements.map((sentence) => `- ${sentence}`),
    '- With the embedded default (sample data) nothing leaves this machine.',
    '- There is no telemetry, and the log on standard error holds no arguments, results or credentials.',
    `- ${privacy.recipient}'s [privacy policy](${privacy.policy}) says what it does with the data it receives.`,
  ].join('\n')
}

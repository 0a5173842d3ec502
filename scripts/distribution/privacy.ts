import type { Offered } from './offered.ts'

/** What a person should know before data goes anywhere. */
export function privacyText({ distribution: { privacy } }: Offered): string {
  return [
    ...privacy.statements.map((sentence) => `- ${sentence}`),
    '- On practice data, the embedded default, nothing leaves this machine.',
    '- There is no telemetry, and the log on standard error holds no arguments, results or credentials.',
    `- What ${privacy.recipient} does with the data it receives is told in [its privacy policy](${privacy.policy}).`,
  ].join('\n')
}

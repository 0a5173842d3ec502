import type { Option, Variable } from '../../packages/server/src/cli/options/option.ts'
import { options } from '../../packages/server/src/cli/options/option-table.ts'

/** An option as a form field in a host that installs the server. */
interface OptionForm extends Pick<Option, 'name' | 'variable'> {
  readonly title: string
  readonly description: (embeddedDescription: string) => string
  readonly defaultValue: boolean
  /** The variable, as a registry describes it. */
  readonly asVariable: Pick<Variable, 'description' | 'defaultValue'>
}

/** The options that hosts ask for. */
export const optionForms: readonly OptionForm[] = [
  {
    ...options.embedded,
    title: 'Sample data',
    description: (embeddedDescription) => `On: ${embeddedDescription}, to try everything without an account. Off: your account.`,
    defaultValue: true,
    asVariable: { description: '1: always the embedded default; 0: never; unset: only if no account is configured.' },
  },
  {
    ...options.readOnly,
    title: 'Read only',
    description: () => 'Refuse every write, and list only the tools that read.',
    defaultValue: false,
    asVariable: { description: '1: refuse every write, and list only the tools that read.', defaultValue: '0' },
  },
]

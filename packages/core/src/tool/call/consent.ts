import { foldSpelling } from '../../corrections/spelling.ts'
import { InvalidInput } from '../../errors/errors.ts'

/** The boolean parameter with which a caller says that the person has agreed. If the client can ask them, their answer sets it. */
export const consentParameter = 'confirm'

/** True for that parameter's name in any accepted spelling. */
export const isConsent = (name: string) => foldSpelling(name) === foldSpelling(consentParameter)

/** The error for a change that needs a person's consent. `consequence` says, in sentences, what they agree to. */
export function needsConsent(consequence: string): InvalidInput {
  return new InvalidInput(
    `${consequence} Nothing was changed. Ask the user. If they agree, make the call again with ${consentParameter} true.`,
    { choices: [{ parameter: consentParameter, reference: '', kind: 'consent', consequence, options: [{ id: 'true', label: 'Yes' }] }] },
  )
}

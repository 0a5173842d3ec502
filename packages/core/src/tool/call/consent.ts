import { foldSpelling } from '../../corrections/spelling.ts'
import { InvalidInput } from '../../errors/errors.ts'

/** The boolean parameter by which a caller says that the person has agreed. Where the client can ask them, their answer sets it. */
export const consentParameter = 'confirm'

/** True for the name of that parameter in any spelling that is read as it. */
export const isConsent = (name: string) => foldSpelling(name) === foldSpelling(consentParameter)

/** The error of a change that a person has to agree to. `consequence` tells them in sentences what they agree to. */
export function needsConsent(consequence: string): InvalidInput {
  return new InvalidInput(
    `${consequence} Nothing was changed. Ask the user, and only if they agree make the call again with ${consentParameter} true.`,
    { choices: [{ parameter: consentParameter, reference: '', kind: 'consent', consequence, options: [{ id: 'true', label: 'Yes' }] }] },
  )
}

import { html } from 'hono/html'
import type { Html } from '../page.ts'

/** A person who can consent. */
export interface ConsentPerson {
  readonly id: string
  readonly name: string
  readonly email: string
}

/** The person whose address is a `login_hint`; the first one without such a person. */
export const hintedPerson = (people: readonly ConsentPerson[], hint: string | undefined): ConsentPerson | undefined =>
  people.find(({ email }) => email === hint?.toLowerCase()) ?? people[0]

/** The field of a consent page in which the person says who they are. */
export const personField = (people: readonly ConsentPerson[], selected: string): Html =>
  html`<p>
    <label for="person">Account:</label>
    <select name="person" id="person">
      ${people.map(({ id, name, email }) => html`<option value="${email}" ${id === selected ? 'selected' : ''}>${name} (${email})</option>`)}
    </select>
  </p>`

/** The person that a form of a consent page names; the selected one when it names none, and undefined for an unknown one. */
export function personInForm(form: URLSearchParams, people: readonly ConsentPerson[], selected: string): ConsentPerson | undefined {
  const address = form.get('person')
  return people.find(({ id, email }) => (address === null ? id === selected : email === address))
}

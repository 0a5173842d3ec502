import { Unauthenticated } from '@mcp-toolkits/core'
import { credentialFile, isFor, type Login, type Place } from '@mcp-toolkits/core/logins'
import type { Settings } from '../definition.ts'
import { commandLine } from './command-line.ts'

/** Where the login of a server is stored. */
export function placeOf(server: string, { profile = 'default' }: Pick<Settings, 'profile'>): Place {
  return { server, profile }
}

/**
 * The login that a server was given; undefined when nobody has signed in. Throws `Unauthenticated` for a file that cannot be trusted, and
 * when a profile is named under which nobody has signed in: whoever names one does not want the embedded default.
 */
export function storedLogin(server: string, settings: Settings): Login | undefined {
  const login = credentialFile(settings.dataDirectory).read(placeOf(server, settings))
  if (login || settings.profile === undefined) return login
  const command = commandLine(server, settings, ['login'])
  throw new Unauthenticated(`Nobody is signed in under the profile "${settings.profile}".`, { next: { command } })
}

/** The address that calls go to: the chosen one, if the login may be used there, or the one that the login was made for. */
export function loginUrl(login: Login, chosen: string | undefined): string {
  if (chosen === undefined || isFor(login, chosen)) return chosen ?? login.apiUrl
  throw new Unauthenticated(
    `The stored login is for ${login.apiUrl} and is not sent to ${chosen}. Sign in again for that address, or unset it.`,
  )
}

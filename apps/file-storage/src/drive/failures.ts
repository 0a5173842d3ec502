import {
  Conflict,
  Forbidden,
  InvalidInput,
  NotFound,
  RateLimited,
  TooLarge,
  Unauthenticated,
  Unavailable,
  type ErrorDetails,
  type ToolError,
} from '@mcp-toolkits/core'
import { retryAfterMs } from '@mcp-toolkits/core/retry'
import { isRateLimit, parsed, reasonsIn, sentenceIn } from './reasons.ts'

/** The item, or all of Drive, is closed to this person or app, whatever else the request says. */
export class ForbiddenToUser extends Forbidden {}

/** The access token may do less than this needs. */
export class ScopeMissing extends ForbiddenToUser {}

/** A rule of the organization that no choice of the person lifts. */
export class ForbiddenByPolicy extends Forbidden {}

/** Drive cannot share with this address. */
export class UnsuitableAddress extends InvalidInput {}

type Make = (said: string) => ToolError

const next = { command: 'file-storage-mcp status' }

/** What a reason means, whatever status it comes with. https://developers.google.com/workspace/drive/api/guides/handle-errors */
const byReason: Readonly<Record<string, Make>> = {
  autherror: unauthenticated,
  insufficientpermissions: scopeMissing,
  insufficientauthenticationscopes: scopeMissing,
  accesstokenscopeinsufficient: scopeMissing,
  accessnotconfigured: apiDisabled,
  servicedisabled: apiDisabled,
  insufficientfilepermissions: (said) => new ForbiddenToUser(`Google Drive does not allow this on this item. ${said}`),
  appnotauthorizedtofile: (said) => new ForbiddenToUser(`This app was not given access to the item. ${said}`),
  domainpolicy: (said) => new ForbiddenByPolicy(`The administrator of the domain does not allow this. ${said}`),
  parentnotafolder: (said) => new InvalidInput(`The parent is not a folder. ${said}`),
  notfound: (said) => new NotFound(said === '' ? 'Google Drive has no such item, or this app may not see it.' : said),
  dailylimitexceeded: quotaUsedUp,
  quotaexceeded: quotaUsedUp,
  storagequotaexceeded: (said) => new Conflict(`The storage is full. ${said}`),
  downloadquotaexceeded: quotaUsedUp,
  teamdrivefilelimitexceeded: (said) => new Conflict(`The shared drive holds as many items as it can. ${said}`),
  numchildreninnonrootlimitexceeded: (said) => new Conflict(`The folder holds as many items as it can. ${said}`),
  teamdrivesfoldermoveinnotsupported: (said) => new InvalidInput(`A folder cannot be moved into a shared drive. ${said}`),
  invalidsharingrequest: (said) => new UnsuitableAddress(`Google Drive cannot share with this address. ${said}`),
  shareoutnotpermittedforcontent: (said) => new ForbiddenByPolicy(`The content may not be shared outside. ${said}`),
  conflict: (said) => new Conflict(said),
  fileidinuse: (said) => new Conflict(said),
}

/** The typed error in a refusal of Drive, its body read; the reason decides before the status does. */
export function failureOf(response: Response, text: string): ToolError {
  const body = parsed(text)
  const reasons = reasonsIn(body)
  const said = sentenceIn(body)
  if (response.status === 429 || reasons.some(isRateLimit))
    return new RateLimited(`Google Drive asks to slow down. ${said}`.trim(), waitIn(response))
  for (const reason of reasons) {
    const make = Object.hasOwn(byReason, reason) ? byReason[reason] : undefined
    if (make) return make(said)
  }
  return byStatus(response, said)
}

function byStatus(response: Response, said: string): ToolError {
  const { status } = response
  if (status >= 300 && status < 400) return redirected(status)
  switch (status) {
    case 400:
      return new InvalidInput(`Google Drive refused the request. ${said}`.trim())
    case 401:
      return unauthenticated(said)
    case 403:
      return new Forbidden(`Google Drive does not allow this. ${said}`.trim())
    case 404:
    case 410:
      return new NotFound(said === '' ? 'Google Drive has no such item, or this app may not see it.' : said)
    case 409:
      return new Conflict(`The state in Google Drive contradicts this. ${said}`.trim())
    case 413:
      return new TooLarge(`Google Drive found the request too large. ${said}`.trim())
    default:
      return new Unavailable(`Google Drive answered HTTP ${status}. ${said}`.trim(), {
        ...waitIn(response),
        retryable: status >= 500 || status === 408,
      })
  }
}

/** An answer that is not Drive's: a proxy or a sign-in page stood between. */
export function notFromDrive(status: number): Unavailable {
  return new Unavailable(
    `HTTP ${status} came with something other than JSON, so it was not Google Drive that answered (a proxy or sign-in page?).`,
  )
}

/** A redirect would take the token along or lose the request, so none is followed. */
function redirected(status: number): Unavailable {
  return new Unavailable(`Google Drive answered with a redirect (HTTP ${status}), which was not followed.`, { retryable: false, next })
}

function unauthenticated(said: string): Unauthenticated {
  return new Unauthenticated(`Google refused the access token: it is expired, revoked or wrong. ${said}`.trim(), { next })
}

function scopeMissing(said: string): Forbidden {
  return new ScopeMissing(`The access token lacks a scope that this needs. ${said}`.trim(), { next })
}

function apiDisabled(said: string): Forbidden {
  return new ForbiddenToUser(`The Google Cloud project has not enabled the Drive API. ${said}`, { next })
}

function quotaUsedUp(said: string): RateLimited {
  return new RateLimited(`A quota at Google Drive is used up; waiting a moment does not help. ${said}`.trim(), { retryable: false })
}

function waitIn(response: Response): ErrorDetails {
  const wait = retryAfterMs(response)
  return wait > 0 ? { retryAfterSeconds: Math.ceil(wait / 1000) } : {}
}

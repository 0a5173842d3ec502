import { isObject, mapTexts } from '../base/json.ts'
import { InvalidInput } from '../errors/errors.ts'
import { redact } from '../errors/redaction.ts'
import { joinWords, quote } from '../errors/text.ts'

/**
 * Throws `InvalidInput` for arguments to any tool that contain one of this server's secrets: the secret would be written where others read
 * it, or sent to another host.
 */
export function refuseSecrets(args: unknown): void {
  if (!isObject(args)) return
  const holders = Object.keys(args).filter((name) => {
    const argument = { [name]: args[name] }
    return mapTexts(argument, redact) !== argument
  })
  if (holders.length === 0) return
  const names = joinWords(holders.slice(0, 5).map((name) => quote(name, 80)))
  throw new InvalidInput(
    `${names} ${holders.length === 1 ? 'holds' : 'hold'} a secret of this server, so nothing was sent. Leave the secret out.`,
  )
}

import { createPublicKey, generateKeyPairSync, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

export interface Certificate {
  /** PEM. */
  readonly key: string
  /** PEM. */
  readonly certificate: string
}

/** One element of DER (X.690): a tag, the length of the content, and the content. */
function element(tag: number, ...parts: readonly Buffer[]): Buffer {
  const body = Buffer.concat(parts)
  const digits = Buffer.from(body.length.toString(16).padStart(4, '0'), 'hex')
  return Buffer.concat([Buffer.from([tag, ...(body.length < 128 ? [body.length] : [0x82, ...digits])]), body])
}

const sequence = (...parts: readonly Buffer[]) => element(0x30, ...parts)
const oid = (hex: string) => element(0x06, Buffer.from(hex, 'hex'))
const ecdsaWithSha256 = sequence(oid('2a8648ce3d040302'))

/** A self-signed certificate for a name or an IPv4 address. */
export function certificateFor(host: string): Certificate {
  const { privateKey, publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  })
  const name = sequence(element(0x31, sequence(oid('550403'), element(0x0c, Buffer.from(host)))))
  const alternative = isIPv4(host) ? element(0x87, Buffer.from(host.split('.').map(Number))) : element(0x82, Buffer.from(host))
  const body = sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    sequence(element(0x18, Buffer.from('20200101000000Z')), element(0x18, Buffer.from('21200101000000Z'))),
    name,
    createPublicKey(publicKey).export({ type: 'spki', format: 'der' }),
    element(0xa3, sequence(sequence(oid('551d11'), element(0x04, sequence(alternative))))),
  )
  const signature = element(0x03, Buffer.from([0]), sign('sha256', body, privateKey))
  const der = sequence(body, ecdsaWithSha256, signature)
  const certificate = `-----BEGIN CERTIFICATE-----\n${der.toString('base64').replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
  return { key: privateKey, certificate }
}

import { dig } from '@mcp-toolkits/emulator/testing'
import { expect, it } from 'vitest'
import { allEndpoints } from '../src/api/endpoints.ts'
import { connected } from './connected.ts'
import { covers } from './covers.ts'

it('describes the methods that the emulator has, at its address', covers('discovery/document', 'discovery/types'), async () => {
  const emulator = connected()
  const { url } = await emulator.listen()
  const response = await fetch(`${url}/discovery/v1/apis/drive/v3/rest`)
  const document: unknown = await response.json()
  expect([dig(document, 'rootUrl'), dig(document, 'baseUrl')]).toEqual([`${url}/`, `${url}/drive/v3/`])
  for (const { name } of await allEndpoints())
    expect([name, dig(document, `resources.${name.replace('.', '.methods.')}.id`)]).toEqual([name, `drive.${name}`])
  expect(dig(document, 'resources.files.methods.export')).toMatchObject({
    path: 'files/{fileId}/export',
    httpMethod: 'GET',
    parameterOrder: ['fileId', 'mimeType'],
    supportsMediaDownload: true,
  })
  expect(dig(document, 'resources.files.methods.list.parameters.pageSize')).toEqual({ type: 'integer', format: 'int32', location: 'query' })
  expect(dig(document, 'schemas.File.properties.owners.type')).toBe('array')
  const references = [...JSON.stringify(document).matchAll(/"\$ref":"(\w+)"/g)].map(([, name = '']) => name)
  expect(references.filter((name) => dig(document, `schemas.${name}`) === undefined)).toEqual([])
})

import { isObject, member } from '@mcp-toolkits/core/json'

/** From this many characters on, base64 is written separately, in slices of that length: about as much as a pipe accepts at once. */
const sliceLength = 256 * 1024

/** Stands for a blob in the JSON. */
const placeholder = '\0blob\0'

/**
 * Yields the line of a message in chunks. Large blobs are not part of `JSON.stringify`, which would copy megabytes of them once as text
 * and once as bytes.
 */
export function* lineChunks(message: object): Generator<string> {
  const blobs: string[] = []
  const without = replaceBlobs(message, (blob) => {
    blobs.push(blob)
    return placeholder
  })
  const json = JSON.stringify(without)
  const [first = '', ...rest] = json.split(JSON.stringify(placeholder))
  // A text in the message may equal the placeholder.
  if (rest.length === 0 || rest.length !== blobs.length) {
    yield `${blobs.length === 0 ? json : JSON.stringify(message)}\n`
    return
  }
  yield first
  for (const [index, after] of rest.entries()) {
    const blob = blobs[index] ?? ''
    yield '"'
    for (let start = 0; start < blob.length; start += sliceLength) yield JSON.stringify(blob.slice(start, start + sliceLength)).slice(1, -1)
    yield `"${after}`
  }
  yield '\n'
}

/** Replaces the large blobs in the content of a result by what `cut` returns. */
function replaceBlobs(message: object, cut: (blob: string) => string): object {
  const result = member(message, 'result')
  const content = member(result, 'content')
  if (!isObject(result) || !Array.isArray(content)) return message
  return { ...message, result: { ...result, content: content.map((block: unknown) => replaceBlob(block, cut)) } }
}

function replaceBlob(block: unknown, cut: (blob: string) => string): unknown {
  const resource = member(block, 'resource')
  const blob = member(resource, 'blob')
  if (!isObject(block) || !isObject(resource) || typeof blob !== 'string') return block
  if (blob.length < sliceLength) return block
  return { ...block, resource: { ...resource, blob: cut(blob) } }
}

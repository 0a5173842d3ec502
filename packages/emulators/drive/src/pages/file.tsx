import {
  Fact,
  indentJson,
  pageSize,
  Person,
  Prose,
  SheetTable,
  Time,
  type View,
  type WorkspacePage,
} from '@mcp-toolkits/emulator/workspace'
import { selectMutations } from '../changes/mutations.ts'
import type { ContentStore } from '../content/content.ts'
import { isFolder, isNative, type Item, itemById } from '../store/items.ts'
import type { DriveStore } from '../store/viewers.ts'
import { ChangeRow } from './activity.tsx'
import { itemPath, kindOf, personName, sizeText, titleOf } from './items.tsx'
import { type ItemProps, Path, Sharing } from './sharing.tsx'

/** Google's paths for files' pages. */
const paths = ['/file/d/:id/*', '/document/d/:id/*', '/spreadsheets/d/:id/*', '/presentation/d/:id/*']

/** One file with its preview, its sharing and its changes. */
export const filePages = (store: DriveStore, contents: ContentStore): WorkspacePage[] =>
  paths.map((path) => ({
    path,
    async show({ part }): Promise<View | undefined> {
      const item = itemById(store, part('id'))
      if (!item || isFolder(item)) return undefined
      const preview = await previewOf(item, contents)
      return {
        title: titleOf(item),
        section: '/files',
        content: (
          <>
            <Path store={store} item={item} />
            <div class="split">
              <div>
                {item.trashed === 1 && <p class="bad">This item is in the trash.</p>}
                <Preview item={item} preview={preview} />
                <History store={store} id={item.id} />
              </div>
              <Facts store={store} item={item} />
            </div>
          </>
        ),
      }
    },
  }))

const maxPreviewBytes = 64 * 1024
const textTypes = /^(?:text\/|application\/(?:json|xml|javascript|sql|yaml|x-yaml|x-sh|x-ndjson|toml)$|[^;]+\+(?:json|xml)$)/

/** The beginning of the text; undefined if the content is not text. */
async function previewOf({ mimeType, content, size }: Item, contents: ContentStore): Promise<string | undefined> {
  if (content === null || !(textTypes.test(mimeType) || isNative({ mimeType }))) return undefined
  const end = isNative({ mimeType }) ? maxPreviewBytes - 1 : Math.min(size ?? 0, maxPreviewBytes) - 1
  const bytes = await new Response(contents.read(content, { start: 0, end })).arrayBuffer()
  const text = new TextDecoder().decode(bytes)
  return (size ?? 0) > maxPreviewBytes ? `${text}\n… (${sizeText(size ?? 0)} in all)` : mimeType.endsWith('json') ? indentJson(text) : text
}

function Preview({ item, preview }: { readonly item: Item; readonly preview: string | undefined }) {
  const { mimeType, name } = item
  if (preview !== undefined && mimeType === 'text/markdown') return <Prose text={preview} />
  if (preview !== undefined && mimeType === 'text/csv') return <SheetTable text={preview} />
  if (preview !== undefined && mimeType === 'text/tab-separated-values') return <SheetTable text={preview} separator={'\t'} />
  if (preview !== undefined)
    return (
      <pre dir="auto" tabindex={0}>
        {preview}
      </pre>
    )
  if (isPicture(item)) return <img class="preview" src={`${contentPath(item)}?v=${item.headRevisionId ?? ''}`} alt={name} />
  if (item.content === null) return <p class="soft">No content to show ({kindOf(item)}).</p>
  return <p class="soft">No preview for {kindOf(item)}.</p>
}

function Facts({ store, item }: ItemProps) {
  const { size, md5, ownerId, createdTime, modifiedTime, description, targetId, lastModifyingId } = item
  const target = targetId === null ? undefined : itemById(store, targetId)
  return (
    <aside aria-label="Facts">
      <dl class="facts">
        <Fact name="Type">{kindOf(item)}</Fact>
        {size !== null && <Fact name="Size">{sizeText(size)}</Fact>}
        {description !== null && <Fact name="Description">{description}</Fact>}
        {target && (
          <Fact name="Points to">
            <a href={itemPath(target)}>{titleOf(target)}</a>
          </Fact>
        )}
        <Fact name="Owner">
          <Person name={personName(store, ownerId)} none="the shared drive" />
        </Fact>
        <Fact name="Created">
          <Time at={createdTime} />
        </Fact>
        <Fact name="Modified">
          <Time at={modifiedTime} /> <bdi>{personName(store, lastModifyingId)}</bdi>
        </Fact>
        {md5 !== null && (
          <Fact name="MD5">
            <code>{md5}</code>
          </Fact>
        )}
      </dl>
      <h2>Sharing</h2>
      <Sharing store={store} item={item} />
      {item.content !== null && !isNative(item) && (
        <p>
          <a class="button" href={contentPath(item)} download>
            Download
          </a>
        </p>
      )}
    </aside>
  )
}

function History({ store, id }: { readonly store: DriveStore; readonly id: string }) {
  const rows = selectMutations(store, 'where fileId = :id order by id desc limit :limit', { id, limit: pageSize })
  if (rows.length === 0) return null
  return (
    <section aria-labelledby="history">
      <h2 id="history">History</h2>
      <ul class="rows">
        {rows.map((row) => (
          <ChangeRow store={store} row={row} showsItem={false} />
        ))}
      </ul>
    </section>
  )
}

/** Picture types that browsers show and that cannot contain scripts, unlike SVG. */
const pictureTypes = ['image/png', 'image/jpeg', 'image/gif', 'image/webp', 'image/avif', 'image/bmp']
const maxPictureBytes = 20_000_000

/** True if a page shows the file as a picture. */
const isPicture = ({ mimeType, content, size }: Item): boolean =>
  content !== null && pictureTypes.includes(mimeType) && (size ?? 0) <= maxPictureBytes

const contentPath = ({ id }: Pick<Item, 'id'>): string => `/workspace/content/${encodeURIComponent(id)}`

/** Gives content a separate origin, which shares nothing with these pages and runs no scripts, whatever type a browser assumes. */
const policy = "default-src 'none'; sandbox; frame-ancestors 'none'"

/** Google's path for the bytes. */
export const downloadPage: WorkspacePage = {
  path: '/uc',
  show: ({ query }) => new Response(null, { status: 302, headers: { location: contentPath({ id: query('id') ?? '' }) } }),
}

/** A file's bytes: pictures are shown, and anything else is downloaded. */
export const contentPage = (store: DriveStore, contents: ContentStore): WorkspacePage => ({
  path: '/content/:id',
  show({ part }) {
    const item = itemById(store, part('id'))
    if (item?.content == null || isNative(item)) return undefined
    const asPicture = isPicture(item)
    const headers = {
      'content-type': asPicture ? item.mimeType : 'application/octet-stream',
      'content-length': String(item.size ?? 0),
      'content-disposition': asPicture ? 'inline' : `attachment; filename*=UTF-8''${encodeFileName(item.name)}`,
      'content-security-policy': policy,
    }
    return new Response(contents.read(item.content, { start: 0, end: (item.size ?? 0) - 1 }), { headers })
  },
})

/** A name for a header: https://www.rfc-editor.org/rfc/rfc8187 */
const encodeFileName = (name: string) =>
  encodeURIComponent(name.toWellFormed()).replace(/['()*]/g, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`)

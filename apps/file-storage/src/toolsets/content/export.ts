import { Message, sentence, TooLarge } from '@mcp-toolkits/core/errors'
import { synonyms, withContent, withVocabulary } from '@mcp-toolkits/core/tool'
import * as z from 'zod'
import { defineTool } from '../../context.ts'
import { contentUri, itemBehind, maxChunkBytes } from '../../drive/content/downloads.ts'
import { type ExportFormat, exportItem, exportTypeFor, exportTypes } from '../../drive/content/exports.ts'
import { Item, openInBrowser, toItem } from '../../drive/items.ts'
import { rejectRoot, sayIfTrashed, withTarget } from '../../resolve/resolve.ts'
import { fileQuery, lookupOf, pathOrId, sharedDriveId } from '../../tools/parameters.ts'
import * as vocabulary from '../../vocabulary/parameters.ts'

const exportFormats = Object.keys(exportTypes).filter((format): format is ExportFormat => Object.hasOwn(exportTypes, format))

export const exportFile = defineTool({
  name: 'ExportFile',
  title: 'Export a Google document',
  description: Message.of(
    'Export a Google document, sheet, presentation or drawing for the person, as Office, OpenDocument, PDF, text or pictures. The content is attached as base64, up to 5 MiB. Not for other files.',
    sentence`To read the text yourself, use ${{ tool: 'FileStorage.ReadFile' }}; for a file with bytes, ${{ tool: 'FileStorage.DownloadFile' }}.`,
  ),
  effect: 'read',
  scopes: ['drive.file|drive.readonly'],
  input: z.strictObject({
    file_path_or_id: withVocabulary(pathOrId('Google document'), vocabulary.file),
    format: withVocabulary(z.literal(exportFormats), {
      names: ['type', 'mime_type', 'export_format', 'output_format', 'export_as', 'as', 'to'],
      values: synonyms({ docx: 'word', xlsx: 'excel', pptx: 'powerpoint', md: 'markdown', txt: 'text', jpg: 'jpeg', zip: 'html' }),
    }).describe(
      'Documents: docx, odt, rtf, pdf, txt, zip (HTML), epub, md. Sheets: xlsx, ods, pdf, zip (HTML), csv or tsv (first sheet). Slides: pptx, odp, pdf, txt, or jpg, png, svg (first slide). Drawings: pdf, jpg, png, svg. Scripts: json.',
    ),
    shared_drive_id: sharedDriveId,
  }),
  output: z.object({ file: Item, format: z.string(), mime_type: z.string(), file_name: z.string(), size: z.int().describe('Bytes.') }),
  example: { file_path_or_id: 'Team/Reading list', format: 'pdf' },
  async run({ format, ...args }, context, call) {
    const { drive } = context
    const lookup = lookupOf(context, call)
    return withTarget(await fileQuery(args, lookup), lookup, async (target) => {
      rejectRoot(target, 'exported')
      const item = await itemBehind(drive, target, call.scope)
      const mimeType = exportTypeFor(item, format)
      const bytes = await exportItem(drive, item.id, mimeType, call.scope)
      if (bytes.byteLength > maxChunkBytes)
        throw new TooLarge(
          `As ${format} it has ${bytes.byteLength} bytes, but at most ${maxChunkBytes} can be attached. ${openInBrowser(item)}`,
        )
      sayIfTrashed(item, call.notice)
      const name = `${item.name}.${format}`
      const data = { file: toItem(item), format, mime_type: mimeType, file_name: name, size: bytes.byteLength }
      return withContent(data, { uri: contentUri(item.id, name), mimeType, bytes })
    })
  },
})

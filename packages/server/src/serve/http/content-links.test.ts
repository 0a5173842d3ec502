import { contentsContract } from '../../../test/storage/contents-contract.ts'
import { ownContents } from './content-links.ts'

contentsContract(() => Promise.resolve(ownContents(100)))

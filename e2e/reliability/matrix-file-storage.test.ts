import { testMatrix } from './matrix.ts'
import { drive } from '../../packages/testing/src/vendors/drive.ts'

testMatrix(drive)

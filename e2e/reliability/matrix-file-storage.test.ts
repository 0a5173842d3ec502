import { testMatrix } from './matrix.ts'
import { drive } from './vendors/drive.ts'

testMatrix(drive)

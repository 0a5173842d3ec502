import { testMatrix } from './matrix.ts'
import { linear } from '../../packages/testing/src/vendors/linear.ts'

testMatrix(linear)

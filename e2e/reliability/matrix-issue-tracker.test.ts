import { testMatrix } from './matrix.ts'
import { linear } from './vendors/linear.ts'

testMatrix(linear)

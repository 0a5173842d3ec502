import { testMatrix } from './matrix.ts'
import { pipelines } from './vendors/pipelines.ts'

testMatrix(pipelines)

export { default } from '../../scripts/bundle/settings.ts'

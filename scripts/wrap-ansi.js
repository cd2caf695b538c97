// What cliui imports as `wrap-ansi`, in the bundle: see rolldown.config.js.
export { wrapAnsi as default } from 'fast-wrap-ansi'

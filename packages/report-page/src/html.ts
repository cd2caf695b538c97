import htm from 'htm'
import { h } from 'preact'

/** Markup as a template, without a build step of its own. */
export const html = htm.bind(h)

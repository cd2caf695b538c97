// What `rolldown -c` does, without its list of some two hundred files: whoever installs has no use for it.
import { build } from 'rolldown'
import config from '../rolldown.config.js'

await build(config)

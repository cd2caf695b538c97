// Does one act of the journal. node journal-act.js ROOT apply|revert
import { openJournal } from '../../build/modules/edit/journal.js'

const [root, act] = process.argv.slice(2)
const journal = await openJournal({ root, allowedRoots: ['kb'], now: () => new Date(), pid: process.pid })
if (act === 'revert') await journal.revert('r-1')
else
  await journal.write('r-1', 'p1', [
    { path: 'kb/a.sql', before: Buffer.from('a1\r\n'), after: Buffer.from('a2\r\n') },
    { path: 'kb/b.sql', before: Buffer.from('caf\xe9', 'latin1'), after: null },
    { path: 'kb/new/c.sql', before: null, after: Buffer.from('\ufeffc') },
  ])

/**
 * Append-only: a step is never changed once released. `user_version` counts the steps applied.
 * JSON columns are written by json.ts.
 */
export const migrations: readonly string[] = [
  `
  CREATE TABLE runs (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    root TEXT,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    status TEXT NOT NULL CHECK (status IN ('running', 'finished', 'interrupted', 'failed')),
    mode TEXT NOT NULL CHECK (mode IN ('repair', 'dry_run', 'evaluate')),
    engine TEXT NOT NULL,
    agent TEXT NOT NULL,
    dialect TEXT NOT NULL,
    knowledge TEXT NOT NULL,
    knowledge_after TEXT,
    total INTEGER NOT NULL,
    options TEXT NOT NULL,
    decision TEXT NOT NULL CHECK (decision IN ('none', 'pending', 'kept', 'committed', 'reverted')),
    exit_code INTEGER
  ) STRICT;

  CREATE TABLE samples (
    id INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (seq),
    case_id TEXT NOT NULL,
    phase TEXT NOT NULL CHECK (phase IN ('baseline', 'verify', 'flip')),
    snapshot TEXT,
    kind TEXT NOT NULL CHECK (kind IN ('sql', 'no_answer', 'error', 'none')),
    sql TEXT,
    message TEXT,
    entries_read TEXT NOT NULL,
    expected_sql TEXT NOT NULL,
    ms REAL NOT NULL
  ) STRICT;
  CREATE INDEX samples_by_case ON samples (run, case_id);

  CREATE TABLE scores (
    sample INTEGER PRIMARY KEY REFERENCES samples (id),
    verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail', 'unproven', 'error', 'skipped')),
    reason TEXT NOT NULL,
    structure TEXT,
    results TEXT
  ) STRICT;

  CREATE TABLE cases (
    run INTEGER NOT NULL REFERENCES runs (seq),
    case_id TEXT NOT NULL,
    position INTEGER NOT NULL,
    question TEXT NOT NULL,
    tags TEXT NOT NULL,
    file TEXT NOT NULL,
    line INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (
      outcome IN ('passed', 'repaired', 'failed', 'unproven', 'errored', 'skipped', 'pending')
    ),
    verdict TEXT NOT NULL CHECK (verdict IN ('pass', 'fail', 'unproven', 'error', 'skipped')),
    baseline TEXT NOT NULL CHECK (baseline IN ('pass', 'fail', 'unproven', 'error', 'skipped')),
    label TEXT,
    cause TEXT,
    retries INTEGER NOT NULL,
    repair_id TEXT,
    ms REAL NOT NULL,
    sample INTEGER NOT NULL REFERENCES samples (id),
    PRIMARY KEY (run, case_id)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE attempts (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (seq),
    id TEXT NOT NULL,
    label TEXT NOT NULL,
    subject TEXT NOT NULL,
    title TEXT NOT NULL,
    reasoning TEXT NOT NULL,
    cases TEXT NOT NULL,
    outcome TEXT NOT NULL CHECK (outcome IN ('accepted', 'rejected', 'reverted')),
    reason TEXT,
    grade TEXT,
    gold_exposed INTEGER NOT NULL CHECK (gold_exposed IN (0, 1)),
    evidence TEXT,
    retries INTEGER NOT NULL,
    ms REAL NOT NULL,
    llm_calls INTEGER NOT NULL,
    commit_id TEXT,
    UNIQUE (run, id)
  ) STRICT;

  CREATE TABLE edits (
    attempt INTEGER NOT NULL REFERENCES attempts (seq),
    position INTEGER NOT NULL,
    kind TEXT NOT NULL,
    file TEXT NOT NULL,
    diff TEXT NOT NULL,
    added INTEGER NOT NULL,
    removed INTEGER NOT NULL,
    PRIMARY KEY (attempt, position)
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE edited_files (
    attempt INTEGER NOT NULL REFERENCES attempts (seq),
    path TEXT NOT NULL,
    before BLOB,
    after BLOB,
    PRIMARY KEY (attempt, path)
  ) STRICT;

  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (seq),
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL
  ) STRICT;
  CREATE INDEX events_by_run ON events (run);
  `,
  `
  CREATE TABLE llm_calls (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (seq),
    role TEXT NOT NULL,
    case_id TEXT NOT NULL,
    model TEXT NOT NULL,
    key TEXT NOT NULL,
    sample INTEGER NOT NULL,
    attempt INTEGER NOT NULL,
    input_tokens INTEGER NOT NULL,
    output_tokens INTEGER NOT NULL,
    cost REAL NOT NULL,
    ms REAL NOT NULL,
    completion TEXT NOT NULL
  ) STRICT;
  CREATE INDEX llm_calls_by_run ON llm_calls (run);
  `,
  `
  CREATE TABLE answers (
    run INTEGER NOT NULL REFERENCES runs (seq),
    case_id TEXT NOT NULL,
    number INTEGER NOT NULL,
    fingerprint TEXT NOT NULL,
    sample INTEGER NOT NULL REFERENCES samples (id),
    PRIMARY KEY (run, case_id, number)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE judgements (
    key TEXT PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (seq),
    model TEXT NOT NULL,
    answer TEXT NOT NULL CHECK (answer IN ('equivalent', 'not', 'unsure')),
    reason TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  ALTER TABLE runs ADD COLUMN failure TEXT;
  `,
  `
  ALTER TABLE cases ADD COLUMN kind TEXT NOT NULL DEFAULT 'sql';
  ALTER TABLE scores ADD COLUMN differences TEXT;
  `,
  `
  CREATE TABLE questions (
    seq INTEGER PRIMARY KEY,
    run INTEGER NOT NULL REFERENCES runs (seq),
    id TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    question TEXT NOT NULL,
    change TEXT,
    statements TEXT NOT NULL,
    cases TEXT NOT NULL,
    options TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    answer TEXT,
    answered_at TEXT,
    UNIQUE (run, id)
  ) STRICT;
  `,
  `
  -- What was learned of a model behind an endpoint: how it is asked, and how long a prompt may be.
  CREATE TABLE endpoint_facts (
    key TEXT PRIMARY KEY,
    learned_at TEXT NOT NULL,
    facts TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Of the answers stored as no_answer: those in no form that can be read.
  ALTER TABLE samples ADD COLUMN unreadable INTEGER NOT NULL DEFAULT 0 CHECK (unreadable IN (0, 1));
  `,
  `
  -- Of kinds of cases other than text-to-SQL: what was found, and what an agent with tools did.
  ALTER TABLE scores ADD COLUMN findings TEXT;
  ALTER TABLE samples ADD COLUMN trace TEXT;
  `,
  `
  -- What agents of a role wrote, or wanted to write, where they may not.
  CREATE TABLE refusals (
    seq INTEGER PRIMARY KEY,
    at TEXT NOT NULL,
    root TEXT NOT NULL,
    role TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('guard', 'sandbox', 'tdd')),
    path TEXT NOT NULL,
    reason TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- What a person has to decide before work goes on: of a task or of a run, whose id is the owner.
  CREATE TABLE gates (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    source TEXT NOT NULL CHECK (source IN ('task', 'run')),
    owner TEXT NOT NULL,
    kind TEXT NOT NULL,
    subject TEXT NOT NULL,
    question TEXT NOT NULL,
    details TEXT NOT NULL,
    options TEXT NOT NULL,
    asked_at TEXT NOT NULL,
    expires_at TEXT NOT NULL,
    answer TEXT,
    answered_at TEXT,
    done_at TEXT
  ) STRICT;
  CREATE UNIQUE INDEX gates_by_subject ON gates (owner, kind, subject, asked_at);

  -- Tasks of autotest tdd: where each is, and what was said and done, in order.
  CREATE TABLE tasks (
    seq INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    root TEXT NOT NULL,
    file TEXT NOT NULL,
    hash TEXT NOT NULL,
    started_at TEXT NOT NULL,
    finished_at TEXT,
    status TEXT NOT NULL CHECK (status IN ('running', 'waiting', 'done', 'failed', 'aborted')),
    state TEXT NOT NULL
  ) STRICT;
  CREATE TABLE task_messages (
    task INTEGER NOT NULL REFERENCES tasks (seq),
    number INTEGER NOT NULL,
    at TEXT NOT NULL,
    kind TEXT NOT NULL,
    data TEXT NOT NULL,
    PRIMARY KEY (task, number)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What became of each unit test when it last ran.
  CREATE TABLE test_results (
    root TEXT NOT NULL,
    test TEXT NOT NULL,
    outcome TEXT NOT NULL,
    ms REAL NOT NULL,
    at TEXT NOT NULL,
    PRIMARY KEY (root, test)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- What each engine was asked in a run.
  CREATE TABLE engine_uses (
    run INTEGER NOT NULL REFERENCES runs (seq),
    url TEXT NOT NULL,
    queries INTEGER NOT NULL,
    ms REAL NOT NULL,
    scanned_bytes REAL,
    PRIMARY KEY (run, url)
  ) STRICT, WITHOUT ROWID;
  `,
  `
  -- Which cases of a run fail from one cause, and answers that an agent may have copied.
  ALTER TABLE cases ADD COLUMN cause_key TEXT;
  ALTER TABLE cases ADD COLUMN subject TEXT;
  ALTER TABLE samples ADD COLUMN own_example TEXT;
  `,
  `
  -- The repair that is proved and held until the question is answered.
  ALTER TABLE questions ADD COLUMN repair TEXT;
  `,
]

CREATE TABLE users (
  id INTEGER PRIMARY KEY,
  email TEXT NOT NULL,
  plan TEXT NOT NULL,
  region TEXT,
  created DATE NOT NULL
);
CREATE TABLE sessions (
  id INTEGER PRIMARY KEY,
  user_id INTEGER NOT NULL,
  day DATE NOT NULL,
  minutes INTEGER NOT NULL,
  device TEXT,
  revenue DOUBLE
);
CREATE TABLE events (
  id INTEGER PRIMARY KEY,
  session_id INTEGER NOT NULL,
  kind TEXT NOT NULL,
  points INTEGER,
  level INTEGER NOT NULL
);

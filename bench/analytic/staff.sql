CREATE TABLE departments (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  city TEXT,
  budget DOUBLE
);
CREATE TABLE employees (
  id INTEGER PRIMARY KEY,
  name TEXT NOT NULL,
  dept_id INTEGER,
  manager_id INTEGER,
  salary DOUBLE NOT NULL,
  hired DATE NOT NULL,
  title TEXT NOT NULL,
  bonus DOUBLE
);
CREATE TABLE projects (
  id INTEGER PRIMARY KEY,
  dept_id INTEGER NOT NULL,
  name TEXT NOT NULL,
  started DATE NOT NULL,
  ended DATE
);
CREATE TABLE assignments (
  emp_id INTEGER NOT NULL,
  project_id INTEGER NOT NULL,
  hours INTEGER NOT NULL,
  role TEXT,
  PRIMARY KEY (emp_id, project_id)
);

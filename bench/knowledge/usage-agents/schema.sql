CREATE TABLE events (id INTEGER PRIMARY KEY, account_id INTEGER, user_id INTEGER, name TEXT, plan TEXT, is_internal INTEGER, happened_on TEXT);
CREATE TABLE accounts (id INTEGER PRIMARY KEY, plan TEXT, region TEXT, mrr REAL, churned_on TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
INSERT INTO events SELECT i, i % 60, i % 250, CASE i % 6 WHEN 0 THEN 'login' WHEN 1 THEN 'export' ELSE 'view' END, CASE i % 3 WHEN 0 THEN 'free' WHEN 1 THEN 'team' ELSE 'enterprise' END, CASE WHEN i % 250 < 17 THEN 1 ELSE 0 END, date('2025-01-01', '+' || (i * 7 % 330) || ' days') FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 90)
INSERT INTO accounts SELECT i, CASE i % 3 WHEN 0 THEN 'free' WHEN 1 THEN 'team' ELSE 'enterprise' END, CASE i % 2 WHEN 0 THEN 'EMEA' ELSE 'APAC' END, (i * 17) % 400, CASE WHEN i % 7 = 0 THEN date('2025-02-01', '+' || i || ' days') END FROM n;

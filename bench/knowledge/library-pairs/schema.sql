CREATE TABLE loans (id INTEGER PRIMARY KEY, branch TEXT, member_type TEXT, genre TEXT, borrowed_on TEXT, returned_on TEXT, renewals INTEGER);
CREATE TABLE books (id INTEGER PRIMARY KEY, genre TEXT, language TEXT, copies INTEGER, withdrawn INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1200)
INSERT INTO loans SELECT i, CASE i % 3 WHEN 0 THEN 'North' WHEN 1 THEN 'Harbour' ELSE 'Old Town' END, CASE i % 5 WHEN 0 THEN 'child' WHEN 1 THEN 'student' ELSE 'adult' END,
 CASE i % 7 WHEN 0 THEN 'crime' WHEN 1 THEN 'poetry' WHEN 2 THEN 'history' ELSE 'novel' END, date('2024-01-01', '+' || (i * 11 % 700) || ' days'), CASE WHEN i % 9 = 0 THEN NULL ELSE date('2024-01-01', '+' || (i * 11 % 700 + i % 30) || ' days') END, (i * 13) % 4 FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 400)
INSERT INTO books SELECT i, CASE i % 7 WHEN 0 THEN 'crime' WHEN 1 THEN 'poetry' WHEN 2 THEN 'history' ELSE 'novel' END, CASE i % 4 WHEN 0 THEN 'en' WHEN 1 THEN 'fr' ELSE 'de' END, 1 + i % 6, CASE WHEN i % 11 = 0 THEN 1 ELSE 0 END FROM n;

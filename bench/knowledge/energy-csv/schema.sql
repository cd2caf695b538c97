CREATE TABLE readings (meter TEXT, site TEXT, kind TEXT, day TEXT, kwh REAL, estimated INTEGER);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1300)
INSERT INTO readings SELECT 'm' || (i % 30), CASE i % 3 WHEN 0 THEN 'Hamburg' WHEN 1 THEN 'Lyon' ELSE 'Turin' END, CASE i % 2 WHEN 0 THEN 'solar' ELSE 'grid' END, date('2025-01-01', '+' || (i * 17 % 360) || ' days'), (i * 31) % 97 + 0.5, CASE WHEN i % 10 = 0 THEN 1 ELSE 0 END FROM n;

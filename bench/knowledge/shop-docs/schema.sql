CREATE TABLE orders (id INTEGER PRIMARY KEY, country TEXT, status TEXT, amount REAL, channel TEXT, created_on TEXT, paid_on TEXT, is_test INTEGER);
CREATE TABLE customers (id INTEGER PRIMARY KEY, country TEXT, segment TEXT, joined_on TEXT);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 900)
INSERT INTO orders SELECT i, CASE i % 4 WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' WHEN 2 THEN 'IT' ELSE 'ES' END,
 CASE (i * 7) % 5 WHEN 0 THEN 'cancelled' WHEN 1 THEN 'refunded' ELSE 'paid' END, 10 + (i * 37) % 190, CASE (i * 3) % 7 WHEN 0 THEN 'store' WHEN 1 THEN 'app' ELSE 'web' END,
 date('2025-01-01', '+' || (i % 200) || ' days'), date('2025-01-01', '+' || (i % 200 + (i * 5) % 40) || ' days'), CASE WHEN i % 23 = 0 THEN 1 ELSE 0 END FROM n;
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 300)
INSERT INTO customers SELECT i, CASE i % 4 WHEN 0 THEN 'DE' WHEN 1 THEN 'FR' WHEN 2 THEN 'IT' ELSE 'ES' END, CASE i % 3 WHEN 0 THEN 'business' ELSE 'private' END, date('2024-06-01', '+' || (i * 3 % 380) || ' days') FROM n;

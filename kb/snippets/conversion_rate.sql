-- LEFT JOIN: visits without an order are the denominator. DISTINCT: a visit may end in several orders.
SELECT 100.0 * count(DISTINCT o.visit_id) / count(DISTINCT v.visit_id) AS conversion_rate
FROM traffic.visits v
LEFT JOIN commerce.orders o ON o.visit_id = v.visit_id AND o.is_test = FALSE
WHERE v.market = {{ market }}
  AND NOT v.is_bot
  AND v.started_at >= {{ period.start }}
  AND v.started_at < {{ period.end_exclusive }}

SELECT 100.0 * sum(CASE WHEN status = 'cancelled' THEN 1 ELSE 0 END) / count(*) AS cancellation_rate
FROM commerce.orders
WHERE market = {{ market }}
  AND is_test = FALSE
  AND created_at >= {{ period.start }}
  AND created_at < {{ period.end_exclusive }} -- imports are stamped midnight: never <=

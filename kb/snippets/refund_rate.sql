-- Orders may be refunded in parts: one row an order before joining, or they count twice
SELECT 100.0 * count(r.order_id) / count(*) AS refund_rate
FROM commerce.orders o
LEFT JOIN (
  SELECT DISTINCT order_id
  FROM commerce.refunds
  WHERE status = 'approved'
) AS r ON r.order_id = o.order_id
WHERE o.market = {{ market }}
  AND o.is_test = FALSE
  AND o.paid_at >= {{ period.start }}
  AND o.paid_at < {{ period.end_exclusive }}

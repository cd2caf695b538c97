-- the ledger keeps cents
SELECT sum(r.amount_cents) / 100.0 AS refunded
FROM commerce.refunds r
JOIN commerce.orders o ON o.order_id = r.order_id
WHERE o.market = {{ market }}
  AND r.status = 'approved'
  AND r.refunded_at >= {{ period.start }}
  AND r.refunded_at < {{ period.end_exclusive }}

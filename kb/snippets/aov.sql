SELECT sum(revenue) / count(*) AS aov
FROM commerce.orders
WHERE market = {{ market }}
  AND status <> 'cancelled'
  AND is_test = FALSE
  AND paid_at >= {{ period.start }}
  AND paid_at < {{ period.end_exclusive }}

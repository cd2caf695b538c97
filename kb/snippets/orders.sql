SELECT {{ by }} AS slice, count(*) AS orders
FROM commerce.orders
WHERE market = {{ market }}
  AND is_test = FALSE
  AND status <> 'cancelled'
  AND paid_at >= {{ period.start }}
  AND paid_at < {{ period.end_exclusive }}
GROUP BY 1
ORDER BY 1

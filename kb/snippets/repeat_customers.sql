SELECT count(*) AS customers
FROM (
  SELECT account_id
  FROM commerce.orders
  WHERE market = {{ market }}
    AND status <> 'cancelled'
    AND is_test = FALSE
    AND paid_at >= {{ period.start }}
    AND paid_at < {{ period.end_exclusive }}
  GROUP BY account_id
  HAVING count(*) >= 2
) AS repeaters

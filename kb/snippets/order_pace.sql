-- Placed, not paid: logistics plans with it. Divided by calendar days, so days without orders count.
SELECT count(*) * 1.0 / {{ period.days }} AS orders_a_day
FROM commerce.orders
WHERE market = {{ market }}
  AND is_test = FALSE
  AND created_at >= {{ period.start }}
  AND created_at < {{ period.end_exclusive }}

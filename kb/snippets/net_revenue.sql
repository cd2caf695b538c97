-- revenue, not billed_revenue: what is invoiced includes shipping
SELECT date_trunc('month', paid_at) AS month, sum(revenue) AS net_revenue
FROM commerce.orders
WHERE market = {{ market }}
  AND status IN ('paid', 'shipped', 'completed')
  AND is_test = FALSE
  AND paid_at >= {{ period.start }}
  AND paid_at < {{ period.end_exclusive }}
GROUP BY 1
ORDER BY 1
